import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../../../domain/keys.ts';
import { MEMBER_ROLES } from '../../../domain/roles.ts';
import { deleteAccountTokens } from '../../../store/accounts/account-tokens.ts';
import { deletePasskeyById } from '../../../store/accounts/passkeys.ts';
import { deleteSecondFactor, consumeRecoveryCode } from '../../../store/accounts/second-factors.ts';
import { deleteSessionById } from '../../../store/accounts/sessions.ts';
import { changePasswordHash, advanceTokenVersionTo } from '../../../store/accounts/users.ts';
import {
  currentPublicKey,
  deleteKeyById,
  insertApiKeys,
  retireKey,
} from '../../../store/merchants/api-keys.ts';
import { endInvitationById } from '../../../store/merchants/invitations.ts';
import { changeMemberRole, deleteMember } from '../../../store/merchants/members.ts';
import { disconnectDevice } from '../../../store/merchants/counters.ts';
import { deleteRestrictedKeyById } from '../../../store/merchants/restricted-keys.ts';
import { knownRevocations, recordRevocation, type Revocation } from '../../../store/revocations.ts';
import { adoptFreeze, adoptUnfreeze } from '../../../store/sends/wallet-freezes.ts';
import { markShopLimitsUnconfirmed } from '../../../store/sends/wallet-limits.ts';
import { REVOCATION_KINDS, type RevocationKind } from '../../../store/schema/accounts.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { newApiKeys } from '../../access/index.ts';
import {
  revokeEndpoint,
  revokeEndpointSecret,
  revokeWebhookSecret,
  revokeWebhookUrl,
} from './revoke-webhooks.ts';
import { suspendShops } from './suspend-shops.ts';

/** SQLite limits the number of parameters of a statement. */
const CHUNK = 500;

/** The effect of a list of revocations. */
export interface Applied {
  /** Number of rows that it changed, by kind. */
  readonly counts: ReadonlyMap<RevocationKind, number>;
  /** Kinds of a newer release, whose meaning is unknown here: because of them, shops are suspended. */
  readonly unknownKinds: readonly string[];
}

/**
 * Applies revocations made after a database was copied. Those it already contains change nothing. An account
 * whose password or second factor changed since needs a reset by mail, because others may know the old
 * password. Revocations of a kind that only a newer release knows are kept, and suspend the shops once.
 */
export async function applyRevocations(
  { db, secretBox }: { readonly db: Db; readonly secretBox: SecretBox },
  list: readonly Revocation[],
  now: number,
): Promise<Applied> {
  const counts = new Map<RevocationKind, number>();
  const unknownKinds = new Set<string>();
  await db.transaction(async (tx) => {
    const shops = new Set<string>();
    for (let from = 0; from < list.length; from += CHUNK) {
      const chunk = list.slice(from, from + CHUNK);
      const known = await knownRevocations(
        tx,
        chunk.map(({ id }) => id),
      );
      for (const revocation of chunk.filter(({ id }) => !known.has(id))) {
        await recordRevocation(tx, revocation);
        const { kind, subject } = revocation;
        if (!isKnownKind(kind)) unknownKinds.add(kind);
        else if (await APPLY[kind](tx, subject.split('/'), { now, shops, secretBox }))
          counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
    }
    // A shop always has a public key; the secret of this pair is never shown, so the owner regenerates it.
    for (const shop of shops)
      if ((await currentPublicKey(tx, shop)) === null) await insertApiKeys(tx, newApiKeys(shop, now).rows);
    if (unknownKinds.size > 0) await suspendShops(tx, now);
  });
  return { counts, unknownKinds: [...unknownKinds] };
}

interface Context {
  readonly now: number;
  readonly secretBox: SecretBox;
  /** Shops whose keys were revoked. */
  readonly shops: Set<string>;
}

function isKnownKind(kind: string): kind is RevocationKind {
  return REVOCATION_KINDS.some((known) => known === kind);
}

/** Instead of the name, which the list does not contain. */
const FROZEN_BY_LIST = 'before a restore';

type Apply = (tx: Tx, subject: readonly string[], context: Context) => Promise<boolean>;

const APPLY: Readonly<Record<RevocationKind, Apply>> = {
  key: async (tx, [id = ''], { shops }) => {
    const shop = await deleteKeyById(tx, id);
    if (shop !== null) shops.add(shop);
    return shop !== null || (await deleteRestrictedKeyById(tx, id));
  },
  'retired-key': async (tx, [id = '', until = ''], { shops }) => {
    const shop = await retireKey(tx, id, Number(until));
    if (shop !== null) shops.add(shop);
    return shop !== null;
  },
  member: async (tx, [merchantId = '', userId = '']) => deleteMember(tx, merchantId, userId),
  role: async (tx, [merchantId = '', userId = '', text = '']) => {
    const role = MEMBER_ROLES.find((known) => known === text);
    if (role === undefined) return deleteMember(tx, merchantId, userId);
    return changeMemberRole(tx, { merchantId, userId, role });
  },
  invitation: async (tx, [id = ''], { now }) => endInvitationById(tx, id, now),
  passkey: async (tx, [id = '']) => deletePasskeyById(tx, id),
  factor: async (tx, [userId = ''], { now }) => {
    await deleteSecondFactor(tx, userId);
    return disablePassword(tx, userId, now);
  },
  password: async (tx, [userId = ''], { now }) => disablePassword(tx, userId, now),
  'recovery-code': async (tx, [userId = '', hash = ''], { now }) =>
    consumeRecoveryCode(tx, { userId, hash, now }),
  session: async (tx, [id = '']) => deleteSessionById(tx, id),
  tokens: async (tx, [userId = '', version = ''], { now }) =>
    advanceTokenVersionTo(tx, { id: userId, version: Number(version), now }),
  endpoint: async (tx, [id = ''], context) => revokeEndpoint(tx, id, context),
  'endpoint-secret': async (tx, [id = ''], context) => revokeEndpointSecret(tx, id, context),
  'webhook-url': async (tx, [id = ''], context) => revokeWebhookUrl(tx, id, context),
  'webhook-secret': async (tx, [id = ''], context) => revokeWebhookSecret(tx, id, context),
  'wallet-freeze': async (tx, [subject = ''], { now }) =>
    adoptFreeze(tx, { subject, frozenAt: now, frozenBy: FROZEN_BY_LIST, reason: null }),
  'wallet-unfreeze': async (tx, [subject = '']) => adoptUnfreeze(tx, subject),
  counter: async (tx, [id = '', tokenHash = '']) => disconnectDevice(tx, { id, tokenHash }),
  'wallet-limits': async (tx, [merchantId = ''], { now }) => markShopLimitsUnconfirmed(tx, merchantId, now),
};

async function disablePassword(tx: Tx, userId: string, now: number): Promise<boolean> {
  await deleteAccountTokens(tx, { userId, purpose: 'reset-password' });
  return (await changePasswordHash(tx, { id: userId, next: unusableHash(), now })) !== undefined;
}

/** An argon2id hash (RFC 9106, at the usual cost) without a known password. */
function unusableHash(): string {
  return `$argon2id$v=19$m=65536,t=3,p=4$${randomText(16)}$${randomText(32)}`;
}

/** Random bytes in base64 without padding, as in an argon2 hash. */
function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64').replaceAll('=', '');
}
