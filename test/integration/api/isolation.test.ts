import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from './contract.ts';
import { PREPARATIONS } from './preparations.ts';
import { credentialsOf, World, type Account, type CredentialKind, type Request } from './world.ts';

const world = await World.start();
let alice: Account;
let bob: Account;
/** Another shop of Bob's. */
let sibling: Account;
beforeAll(async () => {
  alice = await world.account();
  bob = await world.account();
  sibling = await world.account(bob.shop.token);
});
afterAll(async () => world.end());

/** What an id that is not one's own is answered with, by the field that names it. */
const NOT_FOUND: Readonly<Record<string, string>> = {
  merchantId: 'MERCHANT_NOT_FOUND',
  customerId: 'CUSTOMER_NOT_FOUND',
  productId: 'PRODUCT_NOT_FOUND',
  priceId: 'PRICE_NOT_FOUND',
  paymentId: 'PAYMENT_NOT_FOUND',
  paymentLinkId: 'PAYMENT_LINK_NOT_FOUND',
  counterId: 'COUNTER_NOT_FOUND',
  subscriptionId: 'SUBSCRIPTION_NOT_FOUND',
  sendId: 'SEND_NOT_FOUND',
  txHash: 'SEND_NOT_FOUND',
  idempotencyKey: 'SEND_NOT_FOUND',
  linkId: 'LINK_NOT_FOUND',
  logId: 'LOG_NOT_FOUND',
  // Only filters a list.
  deliveryId: 'LOG_NOT_FOUND',
  endpointId: 'ENDPOINT_NOT_FOUND',
  keyId: 'KEY_NOT_FOUND',
};

/** Fields that identify nothing: texts of the shop, and values that are compared only with the caller's own link. */
const NO_NAME: ReadonlySet<string> = new Set(['orderId', 'claimId']);

interface Place {
  readonly endpoint: Endpoint;
  readonly kind: CredentialKind;
  readonly part: 'query' | 'body';
  readonly field: string;
}

const places = world.contract.routes.flatMap((endpoint): Place[] => {
  const { parameters = [], requestBody } = endpoint.operation;
  const inQuery = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
  const inBody = Object.keys(requestBody?.content['application/json']?.schema.properties ?? {});
  const fields: (readonly ['query' | 'body', string])[] = [
    ...inQuery.map((name) => ['query', name] as const),
    ...inBody.map((name) => ['body', name] as const),
  ];
  return credentialsOf(endpoint).flatMap((kind) =>
    fields
      .filter(([, field]) => /Id$|^txHash$|^idempotencyKey$/.test(field) && !NO_NAME.has(field))
      .map(([part, field]) => ({ endpoint, kind, part, field })),
  );
});

/** Objects of another account, as one of Bob's fields may name them. */
function stolenFrom(owner: Account, field: string): string {
  const stolen = owner.ids[field];
  if (stolen === undefined) throw new Error(`say what an account owns as ${field}`);
  return stolen;
}

/** Looks like an id, and is none. */
function unlike(id: string): string {
  return id.slice(0, -6) + (id.endsWith('000000') ? '111111' : '000000');
}

/** Bob's own request, with what is not his in one field. */
function intrusion({ endpoint, kind, part, field }: Place, stolen: string): Request {
  const own = bob.request(endpoint, kind);
  if (part === 'body') {
    const { customer, ...rest } = catalogForm(own.body ?? {}, field);
    // A payment takes a customer or the id of one.
    const body = field === 'customerId' || customer === undefined ? rest : { ...rest, customer };
    return { ...own, body: { ...body, [field]: stolen } };
  }
  // Where exactly one of several ids is asked for, the other must go.
  const others = Object.entries(own.query).filter(
    ([name]) => !isEither(endpoint, name) || name === 'merchantId',
  );
  return { ...own, query: { ...Object.fromEntries(others), [field]: stolen } };
}

function isEither(endpoint: Endpoint, name: string): boolean {
  return endpoint.path.endsWith('/send-status') && name in NOT_FOUND;
}

/** A payment takes a product and a price only in place of an amount. */
function catalogForm(body: Readonly<Record<string, unknown>>, field: string): Record<string, unknown> {
  const { amount, currency, ...rest } = body;
  const wanted =
    amount !== undefined &&
    currency !== undefined &&
    'orderId' in body &&
    (field === 'productId' || field === 'priceId');
  return wanted ? { ...rest, productId: bob.ids['productId'], priceId: bob.ids['priceId'] } : { ...body };
}

function isEmptyList(data: Record<string, unknown> | null): boolean {
  const lists = Object.values(data ?? {}).filter(Array.isArray);
  return lists.length === 1 && lists.every((list) => list.length === 0);
}

async function expectHidden(place: Place, stolen: string): Promise<void> {
  const answer = await world.send(place.endpoint, intrusion(place, stolen));
  const hidden =
    (answer.status === 404 &&
      answer.body.error?.code === NOT_FOUND[place.field] &&
      answer.body.data === null) ||
    (answer.status === 200 && isEmptyList(answer.body.data));
  expect(hidden, JSON.stringify(answer.body)).toBe(true);
  expect(JSON.stringify(answer.body)).not.toContain(stolen);
  expect(world.contract.answerProblems(place.endpoint, answer)).toEqual([]);
  // Nothing tells what exists from what does not.
  const unknown = await world.send(place.endpoint, intrusion(place, unlike(stolen)));
  expect([answer.status, answer.body]).toEqual([unknown.status, unknown.body]);
}

/** What all shops of an account share. */
const SHARED = new Set(['customerId', 'productId', 'priceId']);
const ofOneShop = places.filter(({ kind, field }) => kind !== 'userToken' && !SHARED.has(field));

describe('an id of an object in another shop of the same account', () => {
  it.each(
    ofOneShop.map(
      (place) =>
        [`${place.endpoint.name} ${place.field} in the ${place.part} with a ${place.kind}`, place] as const,
    ),
  )('is answered like an unknown id by %s', async (_name, place) => {
    await expectHidden(place, stolenFrom(sibling, place.field));
  });

  it('selects nothing in lists, exports, counts and events', async () => {
    const lists = world.contract.routes.filter(
      (endpoint) => endpoint.method === 'GET' && credentialsOf(endpoint).includes('restrictedKey'),
    );
    expect(lists.length).toBeGreaterThan(15);
    const hidden = Object.entries(sibling.ids).filter(([field]) => !SHARED.has(field));
    for (const endpoint of lists) {
      const answer = await world.send(endpoint, { ...bob.request(endpoint, 'restrictedKey'), query: {} });
      const told = hidden.filter(([, id]) => JSON.stringify(answer.body).includes(id));
      expect(told, endpoint.name).toEqual([]);
    }
  });
});

describe('an id of an object in another account', () => {
  it.each(
    places.map(
      (place) =>
        [`${place.endpoint.name} ${place.field} in the ${place.part} with a ${place.kind}`, place] as const,
    ),
  )('is answered like an unknown id by %s', async (_name, place) => {
    await expectHidden(place, stolenFrom(alice, place.field));
  });

  it('does not approve a refund claim: the request is answered like one with an unknown id', async () => {
    const endpoint = world.contract.routes.find(({ path }) => path === '/payment/refund-link/approve');
    if (endpoint === undefined) throw new Error('there is no such route');
    const prepared = async (account: Account): Promise<Request> => {
      const request = account.request(endpoint, 'secretKey');
      return (await PREPARATIONS[endpoint.name]?.(world, account, request)) ?? request;
    };
    const [own, other] = [await prepared(bob), await prepared(alice)];
    const approve = async (claimId: unknown) =>
      world.send(endpoint, { ...own, body: { ...own.body, claimId } });
    const stolen = await approve(other.body?.['claimId']);
    const unknown = await approve('rcl_nonsense');
    expect([stolen.status, stolen.body.error?.code]).toEqual([409, 'INVALID_STATE']);
    expect(stolen.body.error).toEqual(unknown.body.error);
    expect((await approve(own.body?.['claimId'])).status).toBe(200);
  });

  it('is tested for every kind of id', () => {
    expect(new Set(places.map(({ field }) => field))).toEqual(new Set(Object.keys(NOT_FOUND)));
    expect(places.length).toBeGreaterThan(60);
  });

  it('has left the object unchanged after all requests', async () => {
    const { shop, ids } = alice;
    const payment = await shop.payment(ids['paymentId'] ?? '');
    expect(payment.status).toBe('completed');
    const { merchants } = await shop.api.must<{ merchants: { id: string; name: string }[] }>(
      'GET',
      '/merchant/list',
      {
        token: shop.token,
      },
    );
    expect(merchants).toMatchObject([{ id: shop.merchantId, name: 'Shop' }]);
    const { products } = await shop.api.must<{ products: { name: string }[] }>(
      'GET',
      '/merchant/product/list',
      {
        token: shop.secretKey,
      },
    );
    expect(products).toMatchObject([{ name: 'Beans' }]);
  });
});
