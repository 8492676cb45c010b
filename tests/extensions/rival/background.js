// What the address of a download says: `?rival=move` puts it into another folder under another name, `cancel` cancels it, `restart` cancels
// it and downloads the address itself, `pause` pauses it for a moment, `delete` deletes its file at the end. Anything else is left
// alone.

const modes = new Map();
let hasRestarted = false;
const mode = ({ url }) => new URL(url).searchParams.get('rival');

chrome.downloads.onCreated.addListener(async (item) => {
  const asked = mode(item);
  modes.set(item.id, asked);
  if (asked === 'cancel') await chrome.downloads.cancel(item.id);
  // Not its own, which it would restart for ever; who began it is not told yet.
  if (asked === 'restart' && !hasRestarted) {
    hasRestarted = true;
    await chrome.downloads.cancel(item.id);
    await chrome.downloads.download({ url: item.url });
  }
  if (asked === 'pause') {
    await chrome.downloads.pause(item.id).catch(() => {});
    setTimeout(() => chrome.downloads.resume(item.id).catch(() => {}), 700);
  }
});
chrome.downloads.onDeterminingFilename.addListener((item, suggest) => {
  if (mode(item) === 'move') suggest({ filename: 'other/x.bin', conflictAction: 'overwrite' });
  else suggest();
});
chrome.downloads.onChanged.addListener(({ id, state }) => {
  if (state?.current === 'complete' && modes.get(id) === 'delete') void chrome.downloads.removeFile(id);
});
