/** Real bitcoind and litecoind for tests. Start here; the files behind it are details. */
export { toAtoms, toDecimal } from './amounts.ts';
export { type NodeCoin, NODE_COINS } from './coins.ts';
export { FaultProxy, type InjectedFault, startFaultProxy } from './fault-proxy.ts';
export type { Fault, FaultScope } from './faults.ts';
export { findDaemon, requireNode } from './find-daemon.ts';
export { RpcError } from './json-rpc.ts';
export { hogExOf, mwebAddress, pegIn, type PegOut, pegOut } from './mweb.ts';
export { type NodeAddress, NodeHandle, type Tip } from './node-handle.ts';
export type { Conflict, PayOutput, PayRequest, ReplaceOptions } from './payments.ts';
export {
  RegtestNode,
  type RestartOptions,
  startBitcoind,
  startLitecoind,
  startNode,
} from './regtest-node.ts';
export type { ReorgOptions, ReorgResult } from './reorg.ts';
