import type { Transfer } from './payments.ts';
import type { Upheaval } from './plan.ts';
import type { Stage } from './stage.ts';

/** Real events on the chain, at the node and at the daemon in a step. */
export async function disturb(stage: Stage, step: number): Promise<void> {
  for (const upheaval of stage.plan.upheavals) {
    if (upheaval.step === step) await cause(stage, upheaval, step);
  }
}

async function cause(stage: Stage, upheaval: Upheaval, step: number): Promise<void> {
  const { world, till, payments, treasurer, history } = stage;
  switch (upheaval.kind) {
    case 'reorg': {
      const { depth, fate } = upheaval;
      const mined = payments.transfers.filter(({ where }) => where.kind === 'mined');
      history.add(`reorganisation of ${depth}, transactions ${fate}`);
      await world.reorg(
        depth,
        fate,
        mined.flatMap(({ txids }) => txids),
      );
      break;
    }
    case 'raise-fee': {
      const waiting = newestWaiting(payments.transfers);
      const txid = waiting === undefined ? null : await world.raiseFee(waiting.txids.at(-1) ?? '');
      if (waiting === undefined || txid === null) return;
      waiting.txids.push(txid);
      history.add(`the payer raises the fee: ${txid}`);
      break;
    }
    case 'double-spend': {
      const txid = newestWaiting(payments.transfers)?.txids.at(-1);
      if (txid === undefined || !(await world.doubleSpend(txid))) return;
      history.add(`the payer takes ${txid} back`);
      break;
    }
    case 'lose-unconfirmed':
      await world.loseUnconfirmed(upheaval.all);
      history.add(`unconfirmed transactions are lost${upheaval.all ? '' : ', those of the till'}`);
      break;
    case 'crash-node':
      if (world.crashNode === undefined) return;
      await world.crashNode();
      history.add('the node was killed and runs again');
      break;
    case 'restart-till':
      if (stage.downUntil !== null) return;
      await treasurer.answered();
      await till.down();
      stage.downUntil = step + upheaval.downSteps;
      history.add(`the till is stopped for ${upheaval.downSteps} steps`);
      if (upheaval.downSteps === 0) {
        await till.up();
        stage.downUntil = null;
      }
      break;
  }
  await payments.refresh();
}

function newestWaiting(transfers: readonly Transfer[]): Transfer | undefined {
  return transfers.findLast(({ where }) => where.kind === 'waiting');
}
