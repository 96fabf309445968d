/** A shop whose BTC is on a watched account, over a scripted chain: no node, and signatures by hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HDKey } from '@scure/bip32';
import { Transaction } from '@scure/btc-signer';
import { createUtxoAdapter } from '../../../src/chains/utxo/adapter.ts';
import {
  type BlockRef,
  type BroadcastResult,
  type Credit,
  type Debit,
  outputKey,
  type OutputRef,
} from '../../../src/domain/chain.ts';
import type { Rates } from '../../../src/domain/ports.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { NO_STORED_LIMITS } from '../../../src/domain/send/limit-change.ts';
import type { SpendingLimits } from '../../../src/domain/send/spending-limits.ts';
import { putLimits } from '../../../src/store/sends/wallet-limits.ts';
import { allocateAddresses } from '../../../src/usecases/addresses/allocate-address.ts';
import { getSend } from '../../../src/usecases/wallet/send/get-send.ts';
import { sendCoins, type SendCoinsInput } from '../../../src/usecases/wallet/send/send-coins.ts';
import type { SendView } from '../../../src/usecases/wallet/send/send-view.ts';
import { submitPsbt } from '../../../src/usecases/wallet/send/submit-psbt.ts';
import { confirmWatch } from '../../../src/usecases/watch/confirm-watch.ts';
import { proposeWatch } from '../../../src/usecases/watch/propose-watch.ts';
import { descriptorChecksum } from '../../../src/wallet/descriptor-checksum.ts';
import { creditTo, ScriptedChain } from '../../_helpers/scripted-chain.ts';
import { findListedProblem } from '../../../src/wallet/listed-address.ts';
import { openWalletWorld, silent, type WalletWorld } from '../../_helpers/wallet-world.ts';

const VERSIONS = { private: 0x04_35_83_94, public: 0x04_35_87_cf };
const MASTER = HDKey.fromMasterSeed(Buffer.alloc(32, 7), VERSIONS);
const FINGERPRINT = MASTER.fingerprint.toString(16).padStart(8, '0');
const KEY = `[${FINGERPRINT}/84h/1h/0h]${MASTER.derive("m/84'/1'/0'").publicExtendedKey}/<0;1>/*`;
/** What a transaction that another wallet signed spends and pays. */
export interface SignedElsewhere {
  readonly txid: string;
  readonly raw: string;
  readonly inputs: readonly OutputRef[];
  readonly pays: readonly { readonly watchKey: string; readonly amount: bigint }[];
}

const quote: Rates['quote'] = (coin, currency) => ({ coin, currency, rate: '100000', sources: [], at: 0 });

export class PsbtWorld {
  readonly wallet: WalletWorld;
  readonly chain: ScriptedChain;
  /** The id of the account. */
  readonly watchId: string;
  /** What the node shows of outputs; null: that they are spent, or nothing. */
  nodeTip: ((tip: BlockRef) => BlockRef | null) | null = null;
  /** What the node answers to broadcasts. */
  answer: BroadcastResult = { kind: 'accepted' };
  /** Called before the node shows previous transactions. */
  beforePrevious: () => Promise<void> = async () => {};
  readonly #dir: string;

  private constructor(parts: Pick<PsbtWorld, 'wallet' | 'chain' | 'watchId'> & { readonly dir: string }) {
    this.wallet = parts.wallet;
    this.chain = parts.chain;
    this.watchId = parts.watchId;
    this.#dir = parts.dir;
  }

  /** The account has one output of each of these amounts, in atoms. */
  static async open(...amounts: readonly bigint[]): Promise<PsbtWorld> {
    const dir = mkdtempSync(join(tmpdir(), 'tilld-psbt-'));
    const chain = new ScriptedChain(Date.now());
    const answers: { world: PsbtWorld | null } = { world: null };
    const wallet = await openWalletWorld({
      dir,
      mode: 'live',
      connect: (context) => {
        const { clock } = context;
        const utxo = createUtxoAdapter({
          coin: 'BTC',
          network: 'regtest',
          rpcUrl: 'http://127.0.0.1:9',
          index: context.index({ coin: 'BTC', mode: 'live' }),
          clock,
          logger: silent,
        });
        const { funds } = utxo;
        return [
          {
            ...chain.adapter('BTC'),
            ...(funds === undefined ? {} : { funds }),
            psbt: {
              previousTransactions: async () => {
                await answers.world?.beforePrevious();
                return new Map<string, string>();
              },
              unspentAt: async (txid, refs) => answers.world?.unspentAt(txid, refs) ?? null,
            },
            watchKey: (address) => utxo.watchKey(address),
            validateAddress: (address) => utxo.validateAddress(address),
            planSend: (request) => utxo.planSend(request),
            feeQuote: async () => ({ rate: 2_000n, source: 'test', at: clock.now() }),
            broadcast: async () => answers.world?.answer ?? { kind: 'accepted' },
            close: async () => utxo.close(),
          },
        ];
      },
    });
    const { userId, id: merchantId } = wallet.merchant;
    const deps = { ...wallet.deps, secretBox: { seal: String, open: String }, findListedProblem };
    const body = `wpkh(${KEY})`;
    const descriptor = `${body}#${descriptorChecksum(body)}`;
    const { id } = await proposeWatch(deps, { userId, merchantId, coin: 'BTC', descriptor });
    await confirmWatch(deps, { userId, merchantId, id });
    const world = new PsbtWorld({ wallet, chain, watchId: id, dir });
    answers.world = world;
    await world.wallet.sync('BTC');
    const credits: Credit[] = [];
    for (const amount of amounts) credits.push(creditTo(await world.#nextAddress(), amount));
    await world.mine(credits);
    return world;
  }

  /** The address of a stranger. */
  get payee(): string {
    return this.wallet.deps.deriver.address({ coin: 'BTC', mode: 'live', account: 999, branch: 0, index: 7 });
  }

  /** One coin is worth 100,000. @param amount what may leave per day, whole dollars */
  async limitPerDay(amount: bigint): Promise<void> {
    return this.limit({ perDay: { minor: amount * 100n, currency: 'USD' } });
  }

  /** One coin is worth 100,000. */
  async limit(limits: Partial<SpendingLimits>): Promise<void> {
    const { db, deps, merchant } = this.wallet;
    this.wallet.deps = { ...deps, rates: { ...deps.rates, quote } };
    const stored = { ...NO_STORED_LIMITS, limits: { ...NO_STORED_LIMITS.limits, ...limits } };
    await db.transaction(async (tx) => putLimits(tx, { merchantId: merchant.id, limits: stored, now: 0 }));
  }

  /** What the node shows: see PsbtSupport. */
  unspentAt(txid: string, refs: readonly OutputRef[]): BlockRef | null {
    const { tip, blocks, debits, others } = this.chain;
    if (this.nodeTip !== null) return this.nodeTip(tip);
    const spends = [...debits, ...blocks.flatMap((block) => block.debits)];
    const spent = new Set(spends.map(({ ref }) => outputKey(ref)));
    return others.includes(txid) || refs.some((ref) => spent.has(outputKey(ref))) ? null : tip;
  }

  async #nextAddress(): Promise<string> {
    const { db, merchant, deps } = this.wallet;
    const adapter = this.wallet.adapter('BTC');
    const branch = { merchantId: merchant.id, account: merchant.account, mode: 'live', branch: 0 } as const;
    const toWatchKey = (_chain: unknown, address: string): string => adapter.watchKey(address);
    const [row] = await db.transaction(async (tx) =>
      allocateAddresses(tx, { ...deps, toWatchKey }, { ...branch, purpose: 'payment', paymentId: null }, [
        'BTC',
      ]),
    );
    return row?.watchKey ?? '';
  }

  async mine(credits: readonly Credit[] = [], debits: readonly Debit[] = []): Promise<void> {
    this.chain.mine(this.wallet.clock.now(), credits, debits);
    await this.wallet.sync('BTC');
  }

  async send(
    amount: string,
    more: Partial<SendCoinsInput> = {},
  ): Promise<SendView & { readonly psbt: string }> {
    const { deps, merchant } = this.wallet;
    const order = {
      merchant,
      destination: this.payee,
      amount,
      coin: 'BTC',
      idempotencyKey: null,
      ...more,
    } as const;
    const view = await sendCoins(deps, order);
    return { ...view, psbt: view.psbt ?? '' };
  }

  async status(sendId: string): Promise<SendView> {
    return getSend(this.wallet.deps, { merchantId: this.wallet.merchant.id, sendId });
  }

  async submit(sendId: string, psbt: string): Promise<SendView> {
    return submitPsbt(this.wallet.deps, { merchantId: this.wallet.merchant.id, sendId, psbt });
  }

  /**
   * @param bumpedBy takes this from the change, or from the destination where there is none, as a wallet does that
   * raises the fee, atoms
   */
  signElsewhere(psbt: string, bumpedBy = 0n): SignedElsewhere {
    const given = Transaction.fromPSBT(Buffer.from(sign(psbt), 'base64'));
    const refs = Array.from({ length: given.inputsLength }, (_, at) => given.getInput(at));
    const inputs = refs.map(({ txid = new Uint8Array(), index = 0 }) => ({
      txid: Buffer.from(txid).toString('hex'),
      index,
    }));
    const payee = this.wallet.adapter('BTC').watchKey(this.payee);
    const pays = Array.from({ length: given.outputsLength }, (_, at) => given.getOutput(at)).map(
      ({ script = new Uint8Array(), amount = 0n }) => {
        const watchKey = Buffer.from(script).toString('hex');
        const isKept = watchKey === payee && given.outputsLength > 1;
        return { watchKey, amount: isKept ? amount : amount - bumpedBy };
      },
    );
    given.finalize();
    const txid = bumpedBy === 0n ? given.id : 'bb'.repeat(32);
    return { txid, raw: given.hex, inputs, pays };
  }

  async close(): Promise<void> {
    await this.wallet.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/** Signs each input by the path that the PSBT names. */
export function sign(psbt: string): string {
  const transaction = Transaction.fromPSBT(Buffer.from(psbt, 'base64'));
  for (let at = 0; at < transaction.inputsLength; at += 1) {
    for (const [, { path }] of transaction.getInput(at).bip32Derivation ?? []) {
      let node = MASTER;
      for (const step of path) node = node.deriveChild(step);
      if (node.privateKey !== null) transaction.signIdx(node.privateKey, at);
    }
  }
  return Buffer.from(transaction.toPSBT(0)).toString('base64');
}

export function toDebits({ txid, raw, inputs, pays }: SignedElsewhere): Debit[] {
  return inputs.map((ref) => ({ ref, byTxid: txid, spender: { raw, inputs: inputs.length, pays } }));
}

export const atoms = (text: string): bigint => parseCoinAmount(text, 'BTC');
