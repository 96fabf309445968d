// The customer's page: three products on one page. It uses Vendure's Shop API, as any storefront does.
import { api, money, problem } from './api.js';

const ask = api('/shop-api');
const POLL_MS = 2000;
const ORDER = 'code state tilldPayment { state checkoutUrl }';
const ADDRESS = { streetLine1: 'Main street 1', city: 'Berlin', postalCode: '10115', countryCode: 'DE' };
/** Texts for Vendure's states. */
const STATES = {
  PaymentAuthorized: 'Your money was seen. The order is placed; the shop ships once it is final.',
  PaymentSettled: 'Paid. Thank you!',
  ArrangingPayment: 'Waiting for your money.',
  ArrangingAdditionalPayment: 'The money is gone again, or was too little. Please pay the rest.',
  Cancelled: 'The order was cancelled.',
};

const status = document.querySelector('#status');
const form = document.querySelector('#order');

async function showArticles() {
  const { products } = await ask('{ products { items { variants { id name priceWithTax currencyCode } } } }');
  const list = document.querySelector('#articles');
  for (const { id, name, priceWithTax, currencyCode } of products.items.flatMap(({ variants }) => variants)) {
    const price = money(priceWithTax, currencyCode);
    const row = document.createElement('label');
    const quantity = Object.assign(document.createElement('input'), {
      type: 'number',
      name: id,
      min: 0,
      max: 9,
      value: list.children.length === 1 ? 1 : 0,
    });
    const [title, cost] = [name, price].map((text) =>
      Object.assign(document.createElement('span'), { textContent: text }),
    );
    row.append(title, cost, quantity);
    list.append(row);
  }
  form.hidden = false;
}

/** Makes the cart equal to the form: an unpaid one is changed, not created again. */
async function fillCart(quantities) {
  const { activeOrder } = await ask('{ activeOrder { state } }');
  if (activeOrder !== null && activeOrder.state !== 'AddingItems') {
    await ask(`mutation { transitionOrderToState(state: "AddingItems") { __typename ${problem} } }`);
  }
  await ask(`mutation { removeAllOrderLines { __typename ${problem} } }`);
  for (const [id, quantity] of quantities) {
    await ask(
      `mutation ($id: ID!, $quantity: Int!) { addItemToOrder(productVariantId: $id, quantity: $quantity) { __typename ${problem} } }`,
      { id, quantity },
    );
  }
}

async function pay(fields) {
  const quantities = [...fields].filter(([name]) => name !== 'email').map(([id, text]) => [id, Number(text)]);
  const wanted = quantities.filter(([, quantity]) => quantity > 0);
  if (wanted.length === 0) throw new Error('Choose an article');
  if (await goOnWithOrder()) return;
  await fillCart(wanted);
  await ask(
    `mutation ($input: CreateCustomerInput!) { setCustomerForOrder(input: $input) { __typename ${problem} } }`,
    {
      input: { firstName: 'Ada', lastName: 'Lovelace', emailAddress: fields.get('email') },
    },
  );
  await ask(
    `mutation ($input: CreateAddressInput!) { setOrderShippingAddress(input: $input) { __typename ${problem} } }`,
    { input: ADDRESS },
  );
  const { eligibleShippingMethods } = await ask('{ eligibleShippingMethods { id } }');
  await ask(
    `mutation ($id: [ID!]!) { setOrderShippingMethod(shippingMethodId: $id) { __typename ${problem} } }`,
    { id: [eligibleShippingMethods[0].id] },
  );
  await openCheckout();
}

/** The checkout over this page, or on its own page if it may not be embedded. */
async function openCheckout() {
  const { createTilldPayment } = await ask(
    `mutation { createTilldPayment {
      ... on TilldCheckout { checkoutUrl returnUrl } ... on TilldCheckoutError { errorCode message returnUrl } } }`,
  );
  const { checkoutUrl, returnUrl } = createTilldPayment;
  const goOn = () => location.assign(returnUrl);
  globalThis.Tilld.open({
    url: checkoutUrl,
    // The payer need not wait for finality.
    onSeen: goOn,
    onClose: goOn,
  });
}

/** The open amount of an existing order, without unconfirmed money. */
async function goOnWithOrder() {
  const { activeOrder } = await ask('{ activeOrder { tilldPayment { state } } }');
  const state = activeOrder?.tilldPayment?.state;
  if (state === undefined || state === 'waiting' || state === 'lost') return false;
  await openCheckout();
  return true;
}

/** Its page asks for the remainder at the current rate, and shows the state of the payment. */
function showPayment(payment) {
  if (!payment) return;
  const link = document.querySelector('#payment');
  link.href = payment.checkoutUrl;
  link.hidden = false;
}

/** The order after the checkout, until its payment is final. */
async function follow(code) {
  document.querySelector('#code').textContent = `Order ${code}`;
  document.querySelector('#placed').hidden = false;
  for (;;) {
    const { activeOrder, orderByCode } = await ask(
      `query ($code: String!) { activeOrder { ${ORDER} } orderByCode(code: $code) { ${ORDER} } }`,
      { code },
    ).catch(() => ask(`{ activeOrder { ${ORDER} } }`));
    const order = orderByCode ?? (activeOrder?.code === code ? activeOrder : undefined);
    const state = order?.state;
    showPayment(order?.tilldPayment);
    status.textContent = STATES[state] ?? `The order is ${state ?? 'not known here'}.`;
    if (state === 'PaymentSettled' || state === 'Cancelled') return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  status.textContent = 'Making the payment …';
  pay(new FormData(form)).catch((error) => {
    status.textContent = error.message;
  });
});

const order = new URLSearchParams(location.search).get('order');
(order === null ? showArticles() : follow(order)).catch((error) => {
  status.textContent = `The shop does not answer: ${error.message}`;
});
