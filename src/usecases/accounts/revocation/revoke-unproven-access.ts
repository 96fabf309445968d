import { interpolate } from '../../../i18n/interpolate.ts';
import type { accountTexts } from '../../mail/index.ts';
import { deletePasskeys } from '../../../store/accounts/passkeys.ts';
import { deleteSecondFactor, findSecondFactor } from '../../../store/accounts/second-factors.ts';
import { endInvitations } from '../../../store/merchants/invitations.ts';
import { clearSuccessUrls } from '../../../store/catalog/payment-links.ts';
import { deleteMember, deleteMemberships, listMembers } from '../../../store/merchants/members.ts';
import { listMerchants, updateMerchant } from '../../../store/merchants/merchants.ts';
import { deleteForwards } from '../../../store/sends/wallet-forwards.ts';
import { endWatching } from '../../../store/ledger/watch-accounts.ts';
import { findEndpoints, updateEndpoint } from '../../../store/webhooks/webhook-endpoints.ts';
import type { MerchantRow } from '../../../store/schema/merchants.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { newWebhookSecret } from '../../events/index.ts';
import { endShopKeys } from '../../access/index.ts';
import type { AccountDeps } from '../account-deps.ts';
import { revokeCredentials } from './revoke-credentials.ts';

/** Access that an account granted before its address was verified, all of it revoked on verification. */
export interface EndedAccess {
  readonly passkeys: number;
  readonly secondFactor: boolean;
  /** Shops of others that the account was a member of. */
  readonly memberships: number;
  /** Members of its shops. */
  readonly people: number;
  readonly keys: number;
  /** Webhook targets of its shops. */
  readonly webhooks: number;
  /** Its shops, which stay. */
  readonly shops: readonly { readonly id: string; readonly name: string }[];
}

type Deps = Pick<AccountDeps, 'clock' | 'secretBox'>;

/**
 * Revokes everything that gives access to an account and its shops, when its address is verified for the
 * first time by a person who did not know the password, because a stranger may have registered it. The same
 * applies to the destinations of events and payers; shops, payments and money stay.
 */
export async function revokeUnprovenAccess(tx: Tx, deps: Deps, userId: string): Promise<EndedAccess> {
  const factor = await findSecondFactor(tx, userId);
  await deleteSecondFactor(tx, userId);
  const shops = await listMerchants(tx, userId);
  const sums = { people: 0, keys: 0, webhooks: 0 };
  for (const shop of shops) {
    sums.people += await endPeople(tx, deps, shop);
    sums.keys += await endShopKeys(tx, shop.id, deps.clock.now());
    sums.webhooks += await endTargets(tx, deps, shop);
  }
  return {
    passkeys: await deletePasskeys(tx, userId),
    secondFactor: factor !== undefined && factor.enabledAt !== null,
    memberships: await deleteMemberships(tx, userId),
    ...sums,
    shops: shops.map(({ id, name }) => ({ id, name })),
  };
}

async function endPeople(tx: Tx, { clock }: Deps, { id }: MerchantRow): Promise<number> {
  const now = clock.now();
  await endInvitations(tx, id, now);
  const members = await listMembers(tx, id);
  for (const { userId } of members) {
    await deleteMember(tx, id, userId);
    await revokeCredentials(tx, { userId, keep: null, now });
  }
  return members.length;
}

/**
 * Stops deliveries to addresses that a stranger chose, redirects of payers, forwards of coins and watched accounts
 * included, and replaces the signing secret.
 */
async function endTargets(tx: Tx, { clock, secretBox }: Deps, shop: MerchantRow): Promise<number> {
  const now = clock.now();
  const active = (await findEndpoints(tx, shop.id)).filter((endpoint) => endpoint.active);
  for (const { id } of active) await updateEndpoint(tx, id, { active: false, updatedAt: now });
  await updateMerchant(tx, shop.id, {
    webhookUrl: null,
    webhookSecretSealed: secretBox.seal(newWebhookSecret()),
    webhookOldSecretSealed: null,
    webhookOldSecretUntil: null,
    supportContact: null,
    embedOriginsJson: '[]',
    updatedAt: now,
  });
  await clearSuccessUrls(tx, shop.id, now);
  await deleteForwards(tx, shop.id);
  await endWatching(tx, { merchantId: shop.id }, now);
  return active.length + (shop.webhookUrl === null ? 0 : 1);
}

/** What a reset revoked, in sentences; none where nothing was. */
export function endedLines(ended: EndedAccess, texts: ReturnType<typeof accountTexts>): string[] {
  const { access } = texts;
  const counts: readonly (readonly [number, string])[] = [
    [ended.passkeys, access.passkeys],
    [ended.secondFactor ? 1 : 0, access.secondFactor],
    [ended.keys, access.keys],
    [ended.webhooks, access.webhooks],
    [ended.people, access.people],
    [ended.memberships, access.memberships],
  ];
  const named = counts.filter(([count]) => count > 0).map(([count, text]) => interpolate(text, { count }));
  const shops = ended.shops.map(({ id }) => id);
  return [
    ...(named.length === 0 ? [] : [interpolate(texts.ended, { access: named.join(', ') })]),
    ...(shops.length === 0 ? [] : [interpolate(texts.keptShops, { shops: shops.join(', ') })]),
  ];
}
