import { Transaction, Wallet } from 'ethers';
import { CONTRACTS, pairs } from '../../../../test/_helpers/anvil/contracts.ts';
import { hex, orNull, type AnvilOf } from './ask.ts';

const GWEI = 1_000_000_000n;
const PRICE = 20n * GWEI;
const GAS = 400_000n;
const FUNDS = 10n ** 21n;
/** More than the number of payments in a round. */
const WALLETS = 40;

interface Payment {
  readonly wallet: Wallet;
  readonly raw: string;
  readonly price: bigint;
}

/** Payers, each with an account. */
export class EthereumPayers {
  readonly #anvil: AnvilOf;
  readonly #chainId: number;
  readonly #payments = new Map<string, Payment>();
  #wallets: Wallet[] = [];

  constructor(anvil: AnvilOf, chainId: number) {
    this.#anvil = anvil;
    this.#chainId = chainId;
  }

  /** Funds all payers, before the blocks that may be reorganised, which would revert it. */
  async fund(): Promise<void> {
    this.#wallets = Array.from({ length: WALLETS }, () => new Wallet(Wallet.createRandom().privateKey));
    for (const { address } of this.#wallets) {
      await this.#anvil().rpc('anvil_setBalance', [address, hex(FUNDS)]);
    }
  }

  has(txid: string): boolean {
    return this.#payments.has(txid);
  }

  async pay(to: {
    readonly address: string;
    readonly amount: bigint;
    readonly way: string;
  }): Promise<string> {
    const { address, amount, way } = to;
    const wallet = this.#wallets.pop();
    if (wallet === undefined) throw new Error('all payers have paid');
    const fields =
      way === 'contract'
        ? { to: CONTRACTS.payer, value: amount, data: pairs([{ address, amount }]) }
        : { to: address, value: amount, data: way === 'data' ? '0x00c0ffee' : '0x' };
    return this.#submit(wallet, fields, PRICE);
  }

  /** The same payment at twice the fee; null if it is too late. */
  async raiseFee(txid: string): Promise<string | null> {
    const payment = this.#payments.get(txid);
    if (payment === undefined) return null;
    const { to, value, data } = Transaction.from(payment.raw);
    return orNull(this.#submit(payment.wallet, { to: to ?? '', value, data }, 2n * payment.price));
  }

  /** A conflicting transaction to another address; its bytes, not yet submitted. Null if no payer sent the original. */
  rivalOf(txid: string): string | null {
    const payment = this.#payments.get(txid);
    if (payment === undefined) return null;
    const fields = { to: Wallet.createRandom().address, value: 1n, data: '0x' };
    return this.#sign(payment.wallet, fields, 2n * payment.price);
  }

  async #submit(
    wallet: Wallet,
    fields: { to: string; value: bigint; data: string },
    price: bigint,
  ): Promise<string> {
    const raw = this.#sign(wallet, fields, price);
    const txid = await this.#anvil().rpc<string>('eth_sendRawTransaction', [raw]);
    this.#payments.set(txid, { wallet, raw, price });
    return txid;
  }

  #sign(wallet: Wallet, fields: { to: string; value: bigint; data: string }, price: bigint): string {
    const transaction = Transaction.from({
      type: 2,
      chainId: this.#chainId,
      nonce: 0,
      gasLimit: GAS,
      maxFeePerGas: price,
      maxPriorityFeePerGas: price,
      ...fields,
    });
    transaction.signature = wallet.signingKey.sign(transaction.unsignedHash);
    return transaction.serialized;
  }
}
