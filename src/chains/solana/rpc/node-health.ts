import type { BlockRef, NodeStatus } from '../../../domain/chain.ts';
import type { Network } from '../../../domain/coins.ts';
import type { Clock } from '../../../domain/ports.ts';
import { checkGenesis, versionWarning } from './identity.ts';
import type { NodeClient } from './node-client.ts';

/** How long facts that rarely change are cached, ms. */
const FACTS_MS = 10 * 60_000;

/** What changes at an update of the node, or slowly. */
interface NodeFacts {
  readonly version: string;
  readonly firstBlock: number;
  readonly rent: bigint;
  /** When they were read, ms. */
  readonly at: number;
}

export interface NodeHealthReaderDeps {
  readonly client: NodeClient;
  readonly network: Network;
  readonly clock: Clock;
  readonly savesCalls: boolean;
}

/** Health of the node, after checking that it serves the configured network. */
export class NodeHealthReader {
  readonly #deps: NodeHealthReaderDeps;
  #facts: NodeFacts | null = null;

  constructor(deps: NodeHealthReaderDeps) {
    this.#deps = deps;
  }

  /** @throws {ChainError} `wrong_chain` for a node of another network */
  async read(readTip: () => Promise<BlockRef>): Promise<NodeStatus & { readonly rent: bigint }> {
    const { client, network } = this.#deps;
    checkGenesis(network, await client.genesisHash());
    const [health, { version, firstBlock, rent }] = await Promise.all([client.health(), this.#readFacts()]);
    const tip = await readTip();
    const { warnings, alarms } = versionWarning(version);
    const unknownLag =
      health.slots === null ? `the node does not tell how far it is behind (${health.problem})` : null;
    return {
      tip,
      headersHeight: tip.height + (health.slots ?? 0),
      syncing: !health.isHealthy && health.slots !== 0,
      // Nodes do not report peers: one that lost its cluster reports that it is behind.
      peers: null,
      pruneHeight: firstBlock,
      version: `Agave ${version}`,
      warnings:
        warnings === null || unknownLag === null ? (warnings ?? unknownLag) : `${warnings}; ${unknownLag}`,
      ...(alarms === undefined ? {} : { alarms }),
      rent,
    };
  }

  async #readFacts(): Promise<NodeFacts> {
    const { client, clock, savesCalls } = this.#deps;
    const now = clock.now();
    if (savesCalls && this.#facts !== null && Math.abs(now - this.#facts.at) < FACTS_MS) return this.#facts;
    const [version, firstBlock, rent] = await Promise.all([
      client.version(),
      client.firstBlock(),
      client.getMinimumBalanceForRentExemption(),
    ]);
    this.#facts = { version, firstBlock, rent, at: now };
    return this.#facts;
  }
}
