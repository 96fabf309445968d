export { toAtoms } from '../../../../test/_helpers/nodes/amounts.ts';
export { NodeHandle } from '../../../../test/_helpers/nodes/node-handle.ts';
export { type RegtestNode, startNode } from '../../../../test/_helpers/nodes/regtest-node.ts';
