import { createHash, randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { Shop } from '../../_helpers/api-client.ts';
import { claimLink, type RefundLinkJson } from '../refunds/refund-client.ts';
import { newPerson, signedIn } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { newApprover } from '../limits/approver.ts';
import { fresh, paidPayment, PASSWORD, totpCode, type Account, type Request, type World } from './world.ts';

/** What a valid request needs beyond the documented example: a state of things, or something mailed. */
type Preparation = (world: World, account: Account, request: Request) => Promise<Request>;

/** A user of its own, for requests that end what a user signs in with. */
async function newUser(world: World): Promise<{ email: string; token: string }> {
  const email = `${fresh('owner')}@example.com`;
  const body = { email, password: PASSWORD };
  const { token } = await world.till.api.must<{ token: string }>('POST', '/auth/register', { body });
  return { email, token };
}

/** The same with an address that is confirmed: it may add factors. */
async function confirmedUser(world: World): Promise<{ email: string; token: string }> {
  const user = await newUser(world);
  await world.confirm(user);
  return user;
}

function withBody(request: Request, fields: Record<string, unknown>): Request {
  return { ...request, body: { ...request.body, ...fields } };
}

/** Of its own, because the requests change its state. */
async function withSubscription(world: World, { shop, ids }: Account, request: Request): Promise<Request> {
  const made = await world.till.api.must<{ id: string }>('POST', '/merchant/subscription/create', {
    token: shop.secretKey,
    body: { priceId: ids['priceId'], customerId: ids['customerId'] },
  });
  return withBody(request, { subscriptionId: made.id });
}

async function withPending(_world: World, account: Account, request: Request): Promise<Request> {
  return withBody(request, { paymentId: (await account.pending()).id });
}

/** Money that no earlier send reserves, and a foreign address as its destination. */
async function withMoney(world: World, { shop }: Account, request: Request): Promise<Request> {
  // The blocks that confirm a payment confirm the change of earlier sends, too.
  if (Number(await shop.balance('BTC')) <= 0.1) await paidPayment(shop);
  await eventually(
    'the change of earlier sends to confirm',
    () => shop.balance('BTC'),
    (balance) => Number(balance) > 0.1,
  );
  const { wallets } = await Shop.open(world.till.api);
  // To one destination, from outputs that the daemon chooses: a request cannot have all of the example's fields.
  return withBody(request, { destination: wallets.BTC, outputs: undefined, inputs: undefined });
}

/** A send that no block holds yet. A block may come between the two requests: the contract tests start with slow blocks. */
async function withOpenSend(world: World, account: Account, request: Request): Promise<Request> {
  const { body } = await withMoney(world, account, request);
  const sent = await account.shop.send({
    coin: 'BTC',
    amount: '0.01',
    destination: String(body?.['destination']),
  });
  return withBody(request, { sendId: sent.body.data.id });
}

/** A send above the limit of a shop of its own, and the member who decides. */
async function withHeldSend(world: World, _account: Account, request: Request): Promise<Request> {
  const { api } = world.till;
  const owner = await newPerson(api, 'owner');
  await world.confirm(owner);
  const shop = await Shop.open(api, { owner: owner.token });
  const { merchantId } = shop;
  await paidPayment(shop);
  const member = await newApprover(world, (await signedIn(api, owner.email)).session, merchantId);
  const limits = { merchantId, perSend: '0', approvers: [member.userId] };
  await api.must('PATCH', '/merchant/wallet/limits', { token: owner.token, body: limits });
  const { wallets } = await Shop.open(api);
  const sent = await shop.send({ coin: 'BTC', amount: '0.00001', destination: wallets.BTC });
  const headers = { ...SessionClient.OWN_PAGE, cookie: member.session.cookie };
  return { ...request, body: { merchantId, sendId: sent.body.data.id }, token: null, headers };
}

async function withForward(world: World, { shop }: Account, request: Request): Promise<Request> {
  const { wallets } = await Shop.open(world.till.api);
  const { merchantId, token } = shop;
  const body = { merchantId, coin: 'BTC', destination: wallets.BTC, threshold: '1000' };
  await world.till.api.must('PATCH', '/merchant/wallet/forward', { token, body });
  return request;
}

/** An account that no other request proposes, so that it can be confirmed. */
async function withProposedAccount(world: World, { shop }: Account, request: Request): Promise<Request> {
  const node = HDKey.fromMasterSeed(randomBytes(32), { private: 0x04_35_83_94, public: 0x04_35_87_cf });
  const { id } = await world.till.api.must<{ id: string }>('POST', '/merchant/wallet/watch', {
    token: shop.token,
    body: { merchantId: shop.merchantId, coin: 'LTC', xpub: node.derive("m/84'/1'/0'").publicExtendedKey },
  });
  return withBody(request, { id });
}

async function withWatchedAccount(_world: World, _account: Account, request: Request): Promise<Request> {
  const node = HDKey.fromMasterSeed(randomBytes(32), { private: 0x04_35_83_94, public: 0x04_35_87_cf });
  return withBody(request, { xpub: node.derive("m/84'/1'/0'").publicExtendedKey });
}

async function withOutput(world: World, { shop }: Account, request: Request): Promise<Request> {
  await paidPayment(shop);
  const { outputs } = await world.till.api.must<{ outputs: { txHash: string; index: number }[] }>(
    'GET',
    '/merchant/wallet/outputs?coin=BTC',
    { token: shop.secretKey },
  );
  const [{ txHash, index } = { txHash: '', index: 0 }] = outputs;
  return withBody(request, { coin: 'BTC', outputs: [{ txHash, index }] });
}

async function withManyOutputs(_world: World, { shop }: Account, request: Request): Promise<Request> {
  await paidPayment(shop);
  await paidPayment(shop);
  return withBody(request, { coin: 'BTC' });
}

async function withSecondFactor(
  world: World,
  token: string,
  enable: boolean,
): Promise<{ readonly code: string; readonly token: string }> {
  const { api } = world.till;
  const { secret } = await api.must<{ secret: string }>('POST', '/auth/totp/setup', {
    token,
    body: { password: PASSWORD },
  });
  const code = totpCode(secret, world.till.clock.now());
  if (!enable) return { code, token };
  const { session } = await api.must<{ session: { token: string } }>('POST', '/auth/totp/enable', {
    token,
    body: { code },
  });
  // Each code works once: the next step's is valid already.
  return { code: totpCode(secret, world.till.clock.now() + 30_000), token: session.token };
}

async function refundLink(world: World, account: Account, fields: object): Promise<RefundLinkJson> {
  return world.till.api.must<RefundLinkJson>('POST', '/payment/refund-link', {
    token: account.shop.secretKey,
    body: { paymentId: account.ids['paymentId'], amount: '1', currency: 'USD', ...fields },
  });
}

function isConfirmed({ transactions }: { readonly transactions: readonly { status: string }[] }): boolean {
  return transactions.some(({ status }) => status === 'confirmed');
}

export const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  'POST /merchant/wallet/send/approve': withHeldSend,
  'POST /merchant/wallet/send/reject': withHeldSend,
  'DELETE /merchant/wallet/forward/pending': withForward,
  'POST /merchant/wallet/watch': withWatchedAccount,
  'POST /merchant/wallet/watch/confirm': withProposedAccount,
  // Above what other requests send.
  'PATCH /merchant/wallet/limits': async (_world, _account, request) =>
    withBody(request, { perSend: '900000000', perDay: '900000000' }),
  'POST /auth/login': async (_world, { email }) => ({
    query: {},
    body: { email, password: PASSWORD },
    token: null,
  }),
  'POST /auth/verify-email': async (world, _account, request) => {
    const { email, token } = await newUser(world);
    return { ...withBody(request, { token: await world.mailedToken(email) }), token };
  },
  'POST /auth/reset-password': async (world, _account, request) => {
    const { email } = await confirmedUser(world);
    await world.till.api.must('POST', '/auth/forgot-password', { body: { email } });
    return withBody(request, { token: await world.mailedToken(email, 'reset-password') });
  },
  'POST /auth/change-password': async (world, _account, request) => {
    const { token } = await newUser(world);
    return { ...withBody(request, { currentPassword: PASSWORD }), token };
  },
  'POST /auth/totp/setup': async (world, _account, request) => {
    const { token } = await confirmedUser(world);
    return { ...withBody(request, { password: PASSWORD }), token };
  },
  'POST /auth/totp/enable': async (world, _account, request) => {
    const { token } = await confirmedUser(world);
    const { code } = await withSecondFactor(world, token, false);
    return { ...withBody(request, { code }), token };
  },
  'POST /auth/totp/disable': async (world, _account, request) => {
    const user = await confirmedUser(world);
    const { code, token } = await withSecondFactor(world, user.token, true);
    return { ...withBody(request, { password: PASSWORD, code }), token };
  },
  'POST /merchant/verify-domain/check': async (world, account, request) => {
    const body = { merchantId: account.shop.merchantId, method: 'dns' };
    await world.till.api.must('POST', '/merchant/verify-domain', { token: account.shop.token, body });
    return request;
  },
  // The documented range is long over.
  'GET /payment/export': async (_world, _account, request) => {
    const { from: _from, to: _to, ...query } = request.query;
    return { ...request, query };
  },
  'POST /payment/cancel': withPending,
  'PATCH /payment/update': withPending,
  'GET /merchant/customer/get': async (_world, { shop }, request) => ({
    ...request,
    query: { customerId: shop.customerId },
  }),
  'POST /sandbox/payment/simulate': withPending,
  'POST /payment/resolve': async (world, account, request) => {
    const { shop } = account;
    const { id } = await account.pending();
    const body = { paymentId: id, scenario: 'underpay', confirmations: 3 };
    await world.till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
    await eventually('money that is too little', () => shop.payment(id), isConfirmed);
    return withBody(request, { paymentId: id, action: 'accept' });
  },
  'POST /merchant/attention/dismiss': async (world, account, request) => {
    const { shop } = account;
    const { id } = await account.pending();
    const body = { paymentId: id, scenario: 'overpay', confirmations: 6 };
    await world.till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
    await eventually(
      'the overpaid payment to complete',
      () => shop.payment(id),
      ({ status }) => status === 'completed',
    );
    return withBody(request, { id, mode: 'sandbox' });
  },
  'POST /payment/refund': async (world, account, request) => {
    const payment = await paidPayment(account.shop);
    const { wallets } = await Shop.open(world.till.api);
    return withBody(request, { paymentId: payment.id, destination: wallets.BTC });
  },
  'DELETE /merchant/keys/delete': async (world, { shop }, request) => {
    const { key } = await world.till.api.must<{ key: { id: string } }>('POST', '/merchant/keys/create', {
      token: shop.token,
      body: { merchantId: shop.merchantId, name: 'Soon gone', scopes: ['events:read'] },
    });
    return withBody(request, { keyId: key.id });
  },
  'POST /connect/token': async (world, { shop }, request) => {
    const codeVerifier = randomBytes(32).toString('base64url');
    const { redirectTo } = await world.till.api.must<{ redirectTo: string }>('POST', '/connect/approve', {
      token: shop.token,
      body: {
        merchantId: shop.merchantId,
        name: 'Shop',
        scopes: 'payments:write webhooks:write',
        redirectUrl: 'https://shop.example/connected',
        state: 'af0ifjsldkj',
        codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      },
    });
    return withBody(request, { code: new URL(redirectTo).searchParams.get('code'), codeVerifier });
  },
  'POST /payment/refund-link/cancel': async (world, account, request) => {
    const { id } = await refundLink(world, account, {});
    return withBody(request, { linkId: id });
  },
  'POST /payment/refund-link/approve': async (world, account, request) => {
    const { id, url } = await refundLink(world, account, { approval: true });
    const { wallets } = await Shop.open(world.till.api);
    await claimLink(world.till.api, url, { coin: 'BTC', destination: wallets.BTC });
    const { refundLinks } = await world.till.api.must<{ refundLinks: RefundLinkJson[] }>(
      'GET',
      `/payment/refund-links?paymentId=${account.ids['paymentId']}&limit=100`,
      { token: account.shop.secretKey },
    );
    return withBody(request, { linkId: id, claimId: refundLinks.find((link) => link.id === id)?.claimId });
  },
  'POST /merchant/wallet/send': withMoney,
  'POST /merchant/wallet/estimate-fee': withMoney,
  'POST /merchant/wallet/send/bump': withOpenSend,
  'POST /merchant/wallet/send/cancel': withOpenSend,
  'POST /merchant/wallet/psbt/submit': withOpenSend,
  'POST /merchant/wallet/outputs/freeze': withOutput,
  'POST /merchant/wallet/outputs/unfreeze': withOutput,
  'POST /merchant/wallet/consolidate': withManyOutputs,
  'DELETE /merchant/customer/erase': async (world, { shop }, request) => {
    const made = await world.till.api.must<{ id: string }>(
      'POST',
      `/merchant/customer/create?merchantId=${shop.merchantId}`,
      { token: shop.token, body: { email: `gone-${randomBytes(6).toString('hex')}@example.com` } },
    );
    return withBody(request, { customerId: made.id });
  },
  'DELETE /merchant/product/delete': async (world, { shop }, request) => {
    const made = await world.till.api.must<{ id: string }>(
      'POST',
      `/merchant/product/create?merchantId=${shop.merchantId}`,
      {
        token: shop.token,
        body: { name: 'Soon gone' },
      },
    );
    return withBody(request, { productId: made.id });
  },
  'DELETE /merchant/webhook/endpoint/delete': async (world, { shop }, request) => {
    const made = await world.till.api.must<{ id: string }>('POST', '/merchant/webhook/endpoint/create', {
      token: shop.secretKey,
      body: { url: world.sink.url, active: false },
    });
    return withBody(request, { endpointId: made.id });
  },
  'DELETE /merchant/counter/delete': async (world, { shop }, request) => {
    const made = await world.till.api.must<{ id: string }>('POST', '/merchant/counter/create', {
      token: shop.secretKey,
      body: { name: 'Soon gone' },
    });
    return withBody(request, { counterId: made.id });
  },
  'DELETE /merchant/link/delete': async (world, { shop }, request) => {
    const made = await world.till.api.must<{ id: string }>('POST', '/merchant/link/create', {
      token: shop.secretKey,
      body: { name: 'Soon gone', amount: '5', currency: 'USD' },
    });
    return withBody(request, { paymentLinkId: made.id });
  },
  'PATCH /merchant/subscription/edit': withSubscription,
  'POST /merchant/subscription/pause': withSubscription,
  'POST /merchant/subscription/cancel': withSubscription,
  'POST /merchant/subscription/credit': withSubscription,
  'POST /merchant/subscription/portal/rotate': withSubscription,
  'POST /merchant/subscription/resume': async (world, account, request) => {
    const prepared = await withSubscription(world, account, request);
    const { subscriptionId } = prepared.body ?? {};
    await world.till.api.must('POST', '/merchant/subscription/pause', {
      token: account.shop.secretKey,
      body: { subscriptionId },
    });
    return prepared;
  },
  'DELETE /merchant/price/delete': async (world, { shop, ids }, request) => {
    const made = await world.till.api.must<{ id: string }>('POST', '/merchant/price/create', {
      token: shop.token,
      body: { productId: ids['productId'], amount: '5', currency: 'USD' },
    });
    return withBody(request, { priceId: made.id });
  },
};
