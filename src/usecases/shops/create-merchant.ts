import { byCoin, COINS, type Coin, type Mode } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { LatePolicy } from '../../domain/payment/types.ts';
import { insertApiKeys } from '../../store/merchants/api-keys.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { domainExists, insertMerchant, nextAccount, listMerchants } from '../../store/merchants/merchants.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { type AllocateAddressDeps, allocateAddresses } from '../addresses/index.ts';
import { newApiKeys } from '../access/index.ts';
import { newUuid, newWebhookSecret, randomBase62 } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';

/** Initial settings of a new merchant. */
interface MerchantDefaults {
  readonly lifetimeMinutes: number;
  readonly toleranceBps: number;
  readonly latePolicy: LatePolicy;
}

export interface CreateMerchantDeps extends AllocateAddressDeps {
  readonly db: Db;
  readonly secretBox: SecretBox;
  readonly defaults: MerchantDefaults;
  /** Whether any coin has a live node; otherwise a new merchant starts in the sandbox. */
  readonly hasLiveCoin: boolean;
  /** Maximum shops per account; 0: unlimited. */
  readonly shopsPerAccount: number;
}

export interface CreateMerchantInput {
  readonly userId: string;
  readonly name: string;
  readonly description: string | null;
  /** Normalised: lower case, ASCII. */
  readonly domain: string;
}

export interface CreatedMerchant {
  readonly merchant: MerchantRow;
  /** The secret key is shown only here. */
  readonly keys: { readonly public: string; readonly secret: string };
  /** Wallet addresses of the merchant's current mode. */
  readonly wallets: Readonly<Record<Coin, string>>;
}

const DOMAIN_TOKEN_LENGTH = 32;

/**
 * Creates a merchant with its keys, webhook secret and a wallet address per coin and mode, all or nothing.
 * @throws {AppError} DUPLICATE_ENTRY when the domain exists, in any account; INVALID_STATE where the account
 * has reached its maximum.
 */
export async function createMerchant(
  deps: CreateMerchantDeps,
  input: CreateMerchantInput,
  storeResult: StoreResult<CreatedMerchant> = storeNoResult,
): Promise<CreatedMerchant> {
  return deps.db.transaction(async (tx) => {
    await assertFewShops(tx, input.userId, deps.shopsPerAccount);
    if (await domainExists(tx, input.domain)) throw await duplicate(tx, input);
    const merchant = newMerchant(deps, input, await nextAccount(tx));
    if (!(await insertMerchant(tx, merchant))) throw await duplicate(tx, input);
    const keys = newApiKeys(merchant.id, merchant.createdAt);
    await insertApiKeys(tx, keys.rows);
    const live = await openWallet(tx, deps, merchant, 'live');
    const sandbox = await openWallet(tx, deps, merchant, 'sandbox');
    const made: CreatedMerchant = {
      merchant,
      keys: { public: keys.public, secret: keys.secret },
      wallets: merchant.sandbox ? sandbox : live,
    };
    await storeResult(tx, made);
    return made;
  });
}

async function assertFewShops(tx: Tx, userId: string, most: number): Promise<void> {
  if (most === 0 || (await listMerchants(tx, userId)).length < most) return;
  throw new AppError('INVALID_STATE', `An account of this server has at most ${most} shops`);
}

function newMerchant(deps: CreateMerchantDeps, input: CreateMerchantInput, account: number): MerchantRow {
  const now = deps.clock.now();
  return {
    id: newUuid(),
    userId: input.userId,
    account,
    name: input.name,
    description: input.description,
    domain: input.domain,
    domainToken: randomBase62(DOMAIN_TOKEN_LENGTH),
    domainVerifiedAt: null,
    webhookUrl: null,
    webhookSecretSealed: deps.secretBox.seal(newWebhookSecret()),
    webhookOldSecretSealed: null,
    webhookOldSecretUntil: null,
    sandbox: !deps.hasLiveCoin,
    paymentLifetimeMinutes: deps.defaults.lifetimeMinutes,
    toleranceBps: deps.defaults.toleranceBps,
    latePolicy: deps.defaults.latePolicy,
    embedOriginsJson: '[]',
    currency: 'USD',
    timeZone: null,
    dayFloor: null,
    dayFloorUntil: null,
    supportContact: null,
    businessJson: null,
    receiptPrefix: '',
    accentColor: null,
    logoHash: null,
    renewExpired: false,
    invoiceLeadDays: 7,
    graceDays: 7,
    excessToCredit: true,
    payerMayAskExcess: true,
    payerMayPause: false,
    payerMayCancel: true,
    mailsSubscribers: true,
    suspendedAt: null,
    booksClosedUntil: 0,
    createdAt: now,
    updatedAt: now,
  };
}

/** Watches the merchant address of every coin, including coins without a node, which may be added later. */
async function openWallet(
  tx: Tx,
  deps: CreateMerchantDeps,
  merchant: MerchantRow,
  mode: Mode,
): Promise<Record<Coin, string>> {
  const wallets = byCoin(COINS, () => '');
  const at = { merchantId: merchant.id, account: merchant.account, mode, branch: 0 } as const;
  const rows = await allocateAddresses(tx, deps, { ...at, purpose: 'wallet', paymentId: null }, COINS);
  for (const row of rows) wallets[row.coin] = row.address;
  return wallets;
}

/** Reveals the merchant only to its owner. */
async function duplicate(tx: Tx, { domain, userId }: CreateMerchantInput): Promise<AppError> {
  const existing = (await listMerchants(tx, userId)).find((merchant) => merchant.domain === domain);
  return new AppError('DUPLICATE_ENTRY', `A merchant with the domain ${domain} already exists`, {
    details: [
      {
        field: 'domain',
        code: 'duplicate',
        message: 'already exists',
        ...(existing === undefined ? {} : { existingId: existing.id }),
      },
    ],
  });
}
