import type { Shop } from '../../test/_helpers/api-client.ts';
import type { Till } from '../../test/_helpers/till.ts';
import type { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import type { ChainWorld } from './chain-world.ts';
import type { History } from './history.ts';
import type { Verdict } from './oracle/verdict.ts';
import type { Payments } from './payments.ts';
import type { Mischief } from './mischief.ts';
import type { FeeSpike, Plan } from './plan.ts';
import type { MisbehavingProxy } from './proxy.ts';
import type { Random } from './random.ts';
import type { RefundLinks } from './refund-links.ts';
import type { Treasurer } from './sends.ts';

/** The parts of a running round. */
export interface Stage {
  readonly world: ChainWorld;
  readonly plan: Plan;
  readonly proxy: MisbehavingProxy;
  readonly till: Till;
  readonly sink: WebhookSink;
  readonly shop: Shop;
  readonly payments: Payments;
  readonly treasurer: Treasurer;
  readonly links: RefundLinks;
  readonly history: History;
  readonly random: Random;
  readonly spikes: readonly (readonly [FeeSpike, Mischief])[];
  /** Steps until a stopped daemon is started; null while it runs. */
  downUntil: number | null;
}

/** The result of a round. */
export interface RoundResult extends Verdict {
  readonly plan: Plan;
  readonly mix: readonly string[];
  readonly history: readonly string[];
  readonly hits: ReadonlyMap<string, number>;
  readonly seconds: number;
  readonly transfers: number;
  readonly sends: number;
}
