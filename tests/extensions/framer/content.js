// Puts a frame of this extension into the page, and takes it out again, when the page's test says so.

addEventListener('message', ({ data }) => {
  if (data === 'add framer') {
    const frame = document.createElement('iframe');
    frame.title = 'framer';
    frame.src = chrome.runtime.getURL('menu.html');
    frame.addEventListener('load', () => document.documentElement.dataset.framer = 'loaded');
    document.body.append(frame);
  }
  if (data === 'remove framer') {
    document.querySelector('iframe[title=framer]')?.remove();
    delete document.documentElement.dataset.framer;
  }
});
document.documentElement.dataset.framer = 'ready';
