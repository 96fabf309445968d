import type { ChainErrorKind } from './chain.ts';
import { COINS, type ChainId, type Coin } from './coins.ts';
import { assertNever } from './errors.ts';

/** The state of following a chain. Only `following` is ready. */
export type FollowState = 'starting' | 'following' | 'catching_up' | 'behind' | 'wrong_chain' | 'error';

/** What the daemon knows of one chain. */
export interface FollowedChain extends ChainId {
  readonly state: FollowState;
  /** Scanned height; null before first contact. */
  readonly height: number | null;
  /** Blocks the node knows and we have not scanned; null when unknown. */
  readonly lag: number | null;
  /**
   * Kind of the failure that keeps it from being followed; null without a failure, and for an internal error
   * of the daemon.
   */
  readonly errorKind: ChainErrorKind | null;
}

/** Whether a coin can take real money, and otherwise the reason. */
export const READINESS = [
  'ready',
  'not_configured',
  'unreachable',
  'syncing',
  'wrong_network',
  'failing',
  'unknown',
] as const;
export type Readiness = (typeof READINESS)[number];

export interface CoinReadiness {
  readonly coin: Coin;
  readonly state: Readiness;
  /** Scanned height; null while unknown. */
  readonly height: number | null;
  /** Blocks left to scan; null while unknown. */
  readonly lag: number | null;
  /** The same as a sentence. */
  readonly message: string;
}

/**
 * The readiness of each coin for live payments. Only a chain that is followed to its tip is ready: a chain
 * without a report is unknown, and unknown is not ready.
 */
export function coinReadiness(chains: readonly FollowedChain[]): CoinReadiness[] {
  return COINS.map((coin) => {
    const chain = chains.find((one) => one.coin === coin && one.mode === 'live');
    const { height = null, lag = null } = chain ?? {};
    const state = chain === undefined ? 'not_configured' : deriveReadiness(chain);
    return { coin, state, height, lag, message: wordsFor(state, height, lag) };
  });
}

function deriveReadiness({ state, errorKind }: FollowedChain): Readiness {
  switch (state) {
    case 'following':
      return 'ready';
    case 'starting':
      return 'unknown';
    case 'catching_up':
    case 'behind':
      return 'syncing';
    case 'wrong_chain':
      return 'wrong_network';
    case 'error':
      return errorKind === 'unavailable' ? 'unreachable' : 'failing';
    default:
      return assertNever(state);
  }
}

function wordsFor(state: Readiness, height: number | null, lag: number | null): string {
  switch (state) {
    case 'ready':
      return 'its node is in sync with the network';
    case 'not_configured':
      return 'this server has no node for it';
    case 'unreachable':
      return 'its node cannot be reached';
    case 'syncing':
      return `its node is still syncing${progress(height, lag)}`;
    case 'wrong_network':
      return 'its node serves another network';
    case 'failing':
      return 'its node answers, but its chain cannot be followed';
    case 'unknown':
      return 'its node is not known yet, because the server has just started';
    default:
      return assertNever(state);
  }
}

/** The node itself may know of no more blocks while it waits for its network. */
function progress(height: number | null, lag: number | null): string {
  if (height === null) return '';
  return lag === null || lag === 0 ? ` at block ${height}` : ` at block ${height}, ${lag} to go`;
}
