// What the Tab key must reach, in the order of the page; of a group of radio buttons the chosen one.
(() => {
  const candidates = [...document.querySelectorAll('button, input, select, textarea, summary, [tabindex="0"]')];
  const reached = candidates.filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled
    && element.tabIndex >= 0 && (element.type !== 'radio' || element.checked));
  globalThis.stops = reached;
  return reached.length;
})()
