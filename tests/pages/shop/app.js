// The demo's shop: draws the list, a product or the cart from the hash. State lives as long as the page.
'use strict';

const PRODUCTS = [
  { id: 'harbour-mug', name: 'Harbour mug', price: 14, hue: 205, shape: '☕', text: 'Stoneware with a reactive sea-blue glaze. Holds 350 ml, survives the dishwasher.' },
  { id: 'camp-mug', name: 'Camp mug', price: 11, hue: 18, shape: '🏕', text: 'Enamelled steel, chipped a little more by every journey.' },
  { id: 'oak-lamp', name: 'Oak desk lamp', price: 89, hue: 38, shape: '💡', text: 'Turned oak, linen shade, warm light.' },
  { id: 'wool-blanket', name: 'Wool blanket', price: 72, hue: 150, shape: '🧶', text: 'Woven on the island from undyed wool.' },
  { id: 'sea-soap', name: 'Sea salt soap', price: 7, hue: 190, shape: '🧼', text: 'Salt, olive oil and a hint of rosemary.' },
  { id: 'driftwood-frame', name: 'Driftwood frame', price: 33, hue: 28, shape: '🖼', text: 'No two alike. For pictures of 13 × 18 cm.' },
];

const view = document.querySelector('#view');
const search = document.querySelector('#search');
const cart = new Map();

const money = (amount) => `€${amount.toFixed(2)}`;
const element = (tag, props = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
};

function picture(product) {
  const box = element('div', { className: 'picture' }, product.shape);
  box.style.setProperty('--hue', product.hue);
  box.setAttribute('aria-hidden', 'true');
  return box;
}

function showList() {
  const wanted = search.value.trim().toLowerCase();
  const found = PRODUCTS.filter((product) => product.name.toLowerCase().includes(wanted));
  const cards = found.map((product) => element('li', {}, picture(product),
    element('a', { className: 'name', href: `#/product/${product.id}`, textContent: product.name }),
    element('span', { className: 'price', textContent: money(product.price) })));
  const count = `${found.length} ${found.length === 1 ? 'product' : 'products'}`;
  view.replaceChildren(
    element('h1', { textContent: wanted ? `Results for “${search.value.trim()}”` : 'Things for a calm home' }),
    element('p', { className: 'count', textContent: count }),
    element('ul', { className: 'cards' }, ...cards));
}

function showProduct(product) {
  const added = element('p', { className: 'added' });
  added.setAttribute('role', 'status');
  const add = element('button', { className: 'primary', textContent: 'Add to cart' });
  add.addEventListener('click', () => {
    cart.set(product.id, (cart.get(product.id) ?? 0) + 1);
    showCount();
    added.textContent = `${product.name} is in your cart.`;
  });
  view.replaceChildren(element('article', { className: 'product' }, picture(product),
    element('div', {},
      element('h1', { textContent: product.name }),
      element('p', { className: 'price', textContent: money(product.price) }),
      element('p', { textContent: product.text }),
      add, added)));
}

function showCart() {
  const lines = [...cart].map(([id, quantity]) => {
    const product = PRODUCTS.find((one) => one.id === id);
    return { product, quantity, sum: product.price * quantity };
  });
  const items = lines.reduce((sum, line) => sum + line.quantity, 0);
  const total = lines.reduce((sum, line) => sum + line.sum, 0);
  const rows = lines.map((line) => element('li', {}, picture(line.product),
    element('span', { className: 'name', textContent: line.product.name }),
    element('span', { textContent: `${line.quantity} × ${money(line.product.price)}` }),
    element('b', { textContent: money(line.sum) })));
  view.replaceChildren(
    element('h1', { textContent: 'Your cart' }),
    element('p', { className: 'count', textContent: `${items} ${items === 1 ? 'item' : 'items'}, ${money(total)} in total` }),
    element('ul', { className: 'lines' }, ...rows));
}

function showCount() {
  const count = [...cart.values()].reduce((sum, quantity) => sum + quantity, 0);
  document.querySelector('#cart-count').textContent = String(count);
}

function route() {
  const [, page, id] = location.hash.split('/');
  const product = PRODUCTS.find((one) => one.id === id);
  if (page === 'cart') showCart();
  else if (page === 'product' && product) showProduct(product);
  else showList();
}

search.addEventListener('input', () => {
  if (location.hash.length > 2) location.hash = '#/';
  showList();
});
addEventListener('hashchange', route);
route();
