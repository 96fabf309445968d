import { ComputeBudgetProgram, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { type Fault, Faults, type FaultScope, type InjectedFault } from './faults.ts';
import { Ledger, type LedgerSnapshot } from './ledger.ts';
import { createMethods } from './methods.ts';
import { type Listening, RpcServer } from './server.ts';
import { Subscriptions } from './subscriptions.ts';
import { lookupTableData, type WireTransaction } from './transaction.ts';

const SYSTEM_PROGRAM = '1'.repeat(32);
const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';
/** What the faucet starts with, as on a test validator: far above what a double counts exactly. */
const FAUCET_LAMPORTS = 500_000_000_000_000_000n;
const DEFAULT_UNITS = 200_000;

export interface SvmNodeOptions extends Listening {
  /** Blocks until `confirmed`; 1 unless said otherwise. */
  readonly confirmedLag?: number;
  /** Blocks until `finalized`; 32 unless said otherwise. */
  readonly finalizedLag?: number;
  /** How much of the past to keep; everything unless said otherwise. */
  readonly keptBlocks?: number;
  /** See LedgerOptions. */
  readonly now?: () => number;
  /** A node to go on with, instead of a new chain. */
  readonly from?: SvmSnapshot;
}

/** A node that can be started again as it was; plain data for structured cloning. */
export interface SvmSnapshot {
  readonly ledger: LedgerSnapshot;
  readonly faucetKey: Uint8Array;
  readonly airdrops: number;
}

export interface ForkRequest {
  /** Closed blocks that the cluster abandons, besides the open one. */
  readonly depth: number;
  /** Signatures that the new branch leaves out; every other transaction is run again in its first block. */
  readonly drop?: readonly string[] | 'all';
  /** The new blocks take the slots of the abandoned ones instead of later slots. */
  readonly sameSlots?: boolean;
}

/**
 * A Solana node for tests: real execution (litesvm) below, a ledger with commitments above, JSON-RPC
 * over HTTP, and the means to skip slots, fork, lose transactions and break the wire.
 */
export class SvmNode implements AsyncDisposable {
  readonly ledger: Ledger;
  readonly subscriptions: Subscriptions;
  readonly #faults = new Faults();
  readonly #server: RpcServer;
  readonly #faucet: Keypair;
  #airdrops: number;
  #toDrop = 0;
  #dropped: WireTransaction[] = [];
  #ticking: NodeJS.Timeout | null = null;

  private constructor(options: SvmNodeOptions) {
    const { from } = options;
    const lags = { confirmedLag: options.confirmedLag ?? 1, finalizedLag: options.finalizedLag ?? 32 };
    this.ledger = new Ledger(
      {
        ...lags,
        ...(options.keptBlocks === undefined ? {} : { keptBlocks: options.keptBlocks }),
        ...(options.now === undefined ? {} : { now: options.now }),
      },
      from?.ledger,
    );
    this.#faucet = from === undefined ? Keypair.generate() : Keypair.fromSecretKey(from.faucetKey);
    this.#airdrops = from?.airdrops ?? 0;
    if (from === undefined) this.#endowFaucet();
    const methods = createMethods({
      ledger: this.ledger,
      submit: (wire) => this.#submit(wire),
      airdrop: (address, lamports) => this.airdrop(address, lamports),
    });
    this.subscriptions = new Subscriptions(this.ledger);
    const { subscriptions } = this;
    this.#server = new RpcServer({ methods, faults: this.#faults, subscriptions }, options);
  }

  static async start(options: SvmNodeOptions = {}): Promise<SvmNode> {
    const node = new SvmNode(options);
    if (options.from === undefined) node.advance(options.finalizedLag ?? 32);
    await node.#server.start();
    return node;
  }

  #endowFaucet(): void {
    this.ledger.put(this.#faucet.publicKey.toBase58(), {
      lamports: FAUCET_LAMPORTS,
      data: new Uint8Array(),
      owner: SYSTEM_PROGRAM,
      executable: false,
    });
  }

  get url(): string {
    return this.#server.url;
  }

  snapshot(): SvmSnapshot {
    return { ledger: this.ledger.snapshot(), faucetKey: this.#faucet.secretKey, airdrops: this.#airdrops };
  }

  /** Where subscriptions are served; real nodes have a port of their own for them. */
  get wsUrl(): string {
    return this.url.replace('http:', 'ws:');
  }

  /** Methods asked so far, in order. */
  get calls(): readonly string[] {
    return this.#server.calls;
  }

  /** Produces blocks. */
  advance(blocks = 1): void {
    for (let made = 0; made < blocks; made += 1) this.ledger.advance();
  }

  /** A block every so often, until the node ends. */
  tick(everyMs: number): void {
    this.#ticking ??= setInterval(() => this.ledger.advance(), everyMs);
  }

  hold(): void {
    if (this.#ticking !== null) clearInterval(this.#ticking);
    this.#ticking = null;
  }

  /** Leaders miss so many slots; the next block comes after them. */
  skip(slots: number): void {
    this.ledger.advance(slots);
  }

  /** The cluster turns to another branch. It ends higher than the one it leaves. */
  fork({ depth, drop = [], sameSlots = false }: ForkRequest): void {
    const lastSlot = this.ledger.top.slot;
    const abandoned = this.ledger.takeBack(depth + 1);
    const replayed = abandoned
      .flatMap(({ transactions }) => transactions)
      .filter(({ wire }) => drop !== 'all' && !drop.includes(wire.signature));
    const first = sameSlots ? (abandoned[0]?.slot ?? lastSlot) : lastSlot + 1;
    this.ledger.reopen(first);
    for (const { wire } of replayed) this.ledger.send(wire);
    this.advance(depth + 1);
  }

  /** The next transactions are taken with thanks and never run. */
  dropNext(count: number): void {
    this.#toDrop = count;
  }

  /** What was lost so far and has not turned up. */
  get dropped(): readonly WireTransaction[] {
    return this.#dropped;
  }

  /** What was lost turns up and runs, as if a leader had kept it. */
  landDropped(): void {
    for (const wire of this.#dropped.splice(0)) this.ledger.send(wire);
  }

  inject(fault: Fault, scope: FaultScope = {}): InjectedFault {
    return this.#faults.inject(fault, scope);
  }

  /** A signed transfer from the faucet. Answers its signature. */
  airdrop(address: string, lamports: bigint): string {
    this.#airdrops += 1;
    // A distinct compute limit makes every airdrop a transaction of its own.
    const units = DEFAULT_UNITS + this.#airdrops;
    const transaction = new Transaction({
      feePayer: this.#faucet.publicKey,
      blockhash: this.ledger.tip('finalized').blockhash,
      lastValidBlockHeight: this.ledger.top.height,
    }).add(
      ComputeBudgetProgram.setComputeUnitLimit({ units }),
      SystemProgram.transfer({
        fromPubkey: this.#faucet.publicKey,
        toPubkey: new PublicKey(address),
        lamports,
      }),
    );
    transaction.sign(this.#faucet);
    const wire = this.ledger.read(transaction.serialize());
    const outcome = this.ledger.send(wire);
    if (outcome.kind === 'refused')
      throw new Error(`airdrop refused: ${JSON.stringify(outcome.execution.err)}`);
    return wire.signature;
  }

  /** Makes an address lookup table past the rules of its program. Answers its address. */
  putLookupTable(addresses: readonly string[]): string {
    const table = Keypair.generate().publicKey.toBase58();
    const data = lookupTableData(addresses);
    const lamports = this.ledger.machine.rentMinimum(data.length);
    this.ledger.put(table, { lamports, data, owner: LOOKUP_TABLE_PROGRAM, executable: false });
    return table;
  }

  /** Deploys a program. Answers its address. */
  putProgram(elf: Uint8Array): string {
    const address = Keypair.generate().publicKey.toBase58();
    this.ledger.machine.addProgram(address, elf);
    return address;
  }

  /** Closes the RPC port; the chain stays as it is. */
  async down(): Promise<void> {
    await this.#server.stop();
  }

  async up(): Promise<void> {
    await this.#server.start();
  }

  async stop(): Promise<void> {
    this.hold();
    await this.#server.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #submit(wire: WireTransaction): void {
    if (this.#toDrop > 0) {
      this.#toDrop -= 1;
      this.#dropped.push(wire);
      return;
    }
    this.ledger.send(wire);
  }
}
