// A file in words, for the window that asks the user about it. Changes nothing.

/**
 * Name and size on one line, whatever the name is.
 * @param {{ name: string, size: number }} file
 * @returns {string}
 */
export function fileWords({ name, size }) {
  const words = size < 1024 ? `${size} B` : size < 1024 * 1024 ? `${(size / 1024).toFixed(1)} KiB` : `${(size / 1024 / 1024).toFixed(1)} MiB`;
  return `${name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')} (${words})`;
}
