// Stands for the kernel before a page of ui/ runs: answers with `FACE.answers`, keeps settings that the page sets, and holds
// the clock, so that a picture of the page is the same every time.
/* global FACE */
{
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) {
      super(...(given.length === 0 ? [FACE.now] : given));
    }

    static now() {
      return FACE.now;
    }
  };
  const { answers } = FACE;
  const settings = () => structuredClone(answers.settings ?? null);
  const told = {
    settings,
    set({ key, value }) {
      if (!answers.settings.managed.includes(key)) answers.settings.settings[key] = value;
      return settings();
    },
    forget_answer({ index }) {
      answers.settings.settings.answers.splice(index, 1);
      return settings();
    },
    state: () => answers.state ?? null,
    reconnect: () => answers.state ?? null,
    consent_state: () => answers.question ?? null,
    help_state: () => answers.help ?? null,
  };
  globalThis.asked = [];
  chrome.runtime.sendMessage = async (message) => {
    globalThis.asked.push(message);
    return told[message.type]?.(message) ?? null;
  };
}
