import { RpcError } from '../../../../test/_helpers/nodes/json-rpc.ts';
import type { Anvil } from '../../../../test/_helpers/anvil/anvil.ts';

export interface Block {
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
  readonly transactions: readonly {
    readonly hash: string;
    readonly from: string;
    readonly to: string | null;
    readonly value: string;
  }[];
}

export type AnvilOf = () => Anvil;

export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

export async function blockAt(anvil: Anvil, height: number): Promise<Block> {
  return anvil.rpc<Block>('eth_getBlockByNumber', [hex(height), true]);
}

/** Null if the node returns an error. */
export async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
}
