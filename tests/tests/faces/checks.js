// What can be said of a page without eyes; gives a list of complaints. Nothing is cut off, every text has its contrast, the
// named elements are in sight. `IN_SIGHT` is a selector of what must be inside of
// the viewport without scrolling, `IN_SCROLL` of what may scroll.
/* global IN_SIGHT, IN_SCROLL */
(() => {
  const complaints = [];
  const nameOf = (element) => `${element.localName}${element.id && `#${element.id}`}${[...element.classList].map((one) => `.${one}`).join('')}`
    + ` "${(element.innerText ?? '').slice(0, 40)}"`;
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.closest('.unseen') === null;
  const all = [...document.querySelectorAll('body, body *')].filter(isSeen);

  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) complaints.push(`the page is ${document.documentElement.scrollWidth} wide in ${width}`);
  for (const element of all) {
    const { display } = getComputedStyle(element);
    if (display === 'inline' || element.clientWidth === 0 || element.matches('input, option')) continue;
    if (element.scrollWidth > element.clientWidth + 1) complaints.push(`${nameOf(element)} is cut off: ${element.scrollWidth} in ${element.clientWidth}`);
    const hides = getComputedStyle(element).overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1;
    if (hides && !element.matches(IN_SCROLL)) complaints.push(`${nameOf(element)} hides what is below: ${element.scrollHeight} in ${element.clientHeight}`);
  }
  for (const element of document.querySelectorAll('select')) {
    if (isSeen(element) && element.clientWidth < 40) complaints.push(`${nameOf(element)} is too narrow`);
  }
  for (const element of document.querySelectorAll(IN_SIGHT)) {
    const box = element.getBoundingClientRect();
    const isInside = box.width > 0 && box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
    if (isSeen(element) && !isInside) complaints.push(`${nameOf(element)} is out of sight: ${JSON.stringify(box)} in ${innerWidth}x${innerHeight}`);
  }

  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const groundOf = (element) => {
    if (element === null) return rgba('Canvas');
    const own = rgba(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, groundOf(element.parentElement));
  };
  const light = ([r, g, b]) => {
    const linear = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const contrast = (a, b) => {
    const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y);
    return (bright + 0.05) / (dark + 0.05);
  };
  const judge = (element, color, what) => {
    const ground = groundOf(element);
    let [r, g, b, a] = rgba(color);
    for (let up = element; up !== null; up = up.parentElement) a *= Number(getComputedStyle(up).opacity);
    const ratio = contrast(over([r, g, b, a], ground), ground);
    if (ratio < 4.5) complaints.push(`${what} of ${nameOf(element)} has a contrast of ${ratio.toFixed(2)}`);
  };
  for (const element of all) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    if (hasText && !element.matches('option')) judge(element, getComputedStyle(element).color, 'the text');
    if (element.matches('input[type="text"], select')) judge(element, getComputedStyle(element).color, 'the value');
    if (element.matches('input[placeholder]')) judge(element, getComputedStyle(element, '::placeholder').color, 'the placeholder');
  }
  return complaints;
})()
