// Whether a person uses the page: tells the kernel when something was pressed, not what. The kernel knows its own input by the
// time and takes what is left for the user's. Tells nothing while a probe is armed, which waits for our own input.
// Invariant: keys, buttons and places stay here; only the moment leaves.

for (const type of ['pointerdown', 'keydown']) {
  window.addEventListener(type, (event) => {
    if (event.isTrusted && armedProbe === null) globalThis.bskUserInput?.(String(performance.timeOrigin + event.timeStamp));
  }, { capture: true, passive: true });
}
