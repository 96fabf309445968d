// The shopkeeper's page: the notes of each order, and the refund button. It uses Vendure's Admin API.
import { api, element, money, problem } from './api.js';

const ask = api('/admin-api');
const POLL_MS = 3000;
const ORDERS = `{ orders(options: { sort: { createdAt: DESC }, take: 20 }) { items {
  id code state totalWithTax currencyCode payments { id state amount } tilldRefunds { url status }
  history(options: { filter: { type: { eq: "ORDER_NOTE" } } }) { items { data } } } } }`;

const status = document.querySelector('#status');
const signIn = document.querySelector('#sign-in');
const list = document.querySelector('#list');

async function refund({ payments }) {
  const { id: paymentId, amount } = payments.find(({ state }) => state === 'Settled');
  const input = { paymentId, amount, lines: [], shipping: 0, adjustment: 0, reason: 'Refund' };
  await ask(`mutation ($input: RefundOrderInput!) { refundOrder(input: $input) { __typename ${problem} } }`, {
    input,
  });
  await show();
}

function article(order) {
  const box = document.createElement('article');
  const title = `${order.code}: ${money(order.totalWithTax, order.currencyCode)}, ${order.state}`;
  const notes = order.history.items.map(({ data }) => element('li', data.note));
  const links = order.tilldRefunds.map(({ url, status: state }) => {
    const line = element('p', `Refund link (${state}): `);
    line.append(element('a', url, { href: url }));
    return line;
  });
  const bullets = document.createElement('ul');
  bullets.append(...notes);
  box.append(element('h2', title), bullets, ...links);
  if (links.length === 0 && order.payments.some(({ state }) => state === 'Settled')) {
    const button = element('button', 'Give the money back');
    button.addEventListener('click', () => void refund(order).catch(say));
    box.append(button);
  }
  return box;
}

async function show() {
  const { orders } = await ask(ORDERS);
  document.querySelector('#orders').hidden = false;
  signIn.hidden = true;
  status.textContent = orders.items.length === 0 ? 'No orders yet.' : '';
  list.replaceChildren(...orders.items.map(article));
}

async function follow() {
  await show();
  setTimeout(() => void follow().catch(say), POLL_MS);
}

function say({ message }) {
  status.textContent = message;
}

signIn.addEventListener('submit', (event) => {
  event.preventDefault();
  const { username, password } = Object.fromEntries(new FormData(signIn));
  ask(
    `mutation ($username: String!, $password: String!) { login(username: $username, password: $password) { __typename ${problem} } }`,
    { username, password },
  )
    .then(follow)
    .catch(say);
});

follow().catch(() => {
  signIn.hidden = false;
});
