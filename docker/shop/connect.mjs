/** The name and domain of the shop in tilld. The domain is never requested. */
const SHOP = { name: 'Demo shop', domain: 'shop.example' };

/**
 * Connects Vendure with tilld by the connect page's own requests, with an account made for it, unless a connection
 * works already.
 * @param {{ tilldUrl: string, shopUrl: string, shopPort: number, owner: { email: string, password: string } }} where
 */
export async function connectWithTilld(admin, { tilldUrl, shopUrl, shopPort, owner }) {
  const { tilldHealth } = await admin.ask('{ tilldHealth { key webhook message } }');
  if (tilldHealth.key && tilldHealth.webhook) return;
  const token = await signIn(tilldUrl, owner);
  const merchantId = await shopOf(tilldUrl, token);
  // So that its pages may embed the checkout.
  const embedOrigins = [new URL(shopUrl).origin];
  await call(tilldUrl, 'PATCH', '/merchant/edit', { token, body: { merchantId, embedOrigins } });
  const { startTilldConnect } = await admin.ask('mutation { startTilldConnect }');
  const asked = Object.fromEntries(new URL(startTilldConnect).searchParams);
  const { redirectTo } = await call(tilldUrl, 'POST', '/connect/approve', {
    token,
    body: { ...asked, merchantId },
  });
  const back = new URL(redirectTo);
  const page = await fetch(`http://127.0.0.1:${shopPort}${back.pathname}${back.search}`);
  if (!page.ok) throw new Error(`connecting with tilld ended with ${page.status}`);
}

/** The token of the owner's account, which the first start creates. */
async function signIn(tilldUrl, owner) {
  const known = await send(tilldUrl, 'POST', '/auth/login', { body: owner });
  if (known.success) return known.data.token;
  return (await call(tilldUrl, 'POST', '/auth/register', { body: owner })).token;
}

async function shopOf(tilldUrl, token) {
  const { merchants } = await call(tilldUrl, 'GET', '/merchant/list', { token });
  const known = merchants.find(({ name }) => name === SHOP.name);
  if (known !== undefined) return known.id;
  return (await call(tilldUrl, 'POST', '/merchant/create', { token, body: SHOP })).merchant.id;
}

async function call(tilldUrl, method, path, options) {
  const { success, data, error } = await send(tilldUrl, method, path, options);
  if (!success) throw new Error(`${method} ${path}: ${error.code} ${error.message}`);
  return data;
}

async function send(tilldUrl, method, path, { token, body }) {
  const answer = await fetch(tilldUrl + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  return answer.json();
}
