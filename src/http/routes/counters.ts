import { z } from 'zod';
import { FAVOURITES_MAX, TIP_PERCENT_MAX, TIPS_MAX } from '../../domain/counter.ts';
import type { Actor } from '../../domain/actor.ts';
import { toCreator } from '../../store/creators.ts';
import { listCounters } from '../../store/merchants/counters.ts';
import type { CounterRow } from '../../store/schema/counters.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  createCounter,
  createCounterCode,
  deleteCounter,
  editCounter,
  type CounterCode,
  type CounterDeps,
} from '../../usecases/counters/index.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { currency } from '../schemas/codes.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { secret } from '../schemas/security-marks.ts';
import { identifier, text } from '../schemas/text.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { createdBy, creatorsFor } from './scoped-views.ts';

export interface CounterRoutesDeps extends CounterDeps {
  /** Public address of this daemon, without a trailing slash. */
  readonly baseUrl: string;
}

const tags = ['Counters'];
const NAME_MAX = 60;

/** Counters: devices that charge customers in a shop and may do nothing else. */
export function counterRoutes(deps: CounterRoutesDeps): Route[] {
  return [createRoute(deps), editRoute(deps), deleteRoute(deps), listRoute(deps), connectRoute(deps)];
}

const counterView = z
  .object({
    id: z.string().meta({ example: EXAMPLES.counterId }),
    name: z.string().meta({ example: 'Till 1' }),
    currency: z.string().meta({ example: 'EUR' }),
    tips: z.array(z.int()).meta({ description: 'Tips that it offers, in percent', example: [5, 10, 15] }),
    favourites: z
      .array(z.string())
      .meta({ description: 'Ids of the prices that it offers as keys', example: [EXAMPLES.priceId] }),
    connectedAt: timestamp().nullable().meta({ description: 'When its device was connected; null: none is' }),
    lastUsedAt: timestamp().nullable().meta({ description: 'Last request of its device, to the minute' }),
    createdBy,
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: 'Counter' });

const settings = {
  tips: z
    .array(z.int().min(1).max(TIP_PERCENT_MAX))
    .max(TIPS_MAX)
    .refine((tips) => tips.every((tip, index) => index === 0 || tip > (tips[index - 1] ?? 0)), {
      error: 'must ascend',
    })
    .optional()
    .meta({ description: 'Tips that it offers, in percent; none by default', examples: [[5, 10, 15]] }),
  favourites: z
    .array(identifier())
    .max(FAVOURITES_MAX)
    .refine((ids) => new Set(ids).size === ids.length, { error: 'must name each price once' })
    .optional()
    .meta({
      description: 'Ids of prices in its currency that it offers as keys; not those of subscriptions',
      examples: [[EXAMPLES.priceId]],
    }),
};

/** Counters as a reader sees them. */
async function countersFor(db: Db, reader: Actor, rows: readonly CounterRow[]) {
  const creatorView = await creatorsFor(db, reader, rows.map(toCreator));
  return rows.map((row) => ({ ...present(row), createdBy: creatorView(toCreator(row)) }));
}

async function counterFor(db: Db, reader: Actor, row: CounterRow) {
  const [counter] = await countersFor(db, reader, [row]);
  if (counter === undefined) throw new Error(`counter ${row.id} is not shown`);
  return counter;
}

function present(row: CounterRow) {
  const { id, name, currency: code, createdAt, updatedAt, connectedAt, lastUsedAt } = row;
  return {
    id,
    name,
    currency: code,
    tips: JSON.parse(row.tipsJson) as number[],
    favourites: JSON.parse(row.favouritesJson) as string[],
    connectedAt: connectedAt === null ? null : isoTime(connectedAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

function createRoute(deps: CounterRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/counter/create',
    summary: 'Create a counter',
    description:
      'A counter has one device, usually a phone, which is connected by `connect`. The device may charge customers and ' +
      'read its own payments of the day, and nothing else.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    notFor: ['clerk'],
    status: 201,
    body: z.object({
      name: text({ max: NAME_MAX }).meta({ example: 'Till 1' }),
      currency: currency()
        .optional()
        .meta({ description: 'That of the merchant by default; it never changes' }),
      ...settings,
    }),
    example: { body: { name: 'Till 1', currency: 'EUR', tips: [5, 10, 15] } },
    data: counterView,
    errors: ['PRICE_NOT_FOUND', 'INVALID_STATE'],
    handler: async ({ auth, body, storeAnswer }) => {
      const { merchant, actor } = auth;
      const { name, currency: code, tips = [], favourites = [] } = body;
      const input = { merchant, actor, name, currency: code, tips, favourites };
      const made = await createCounter(deps, input, async (tx, row) =>
        storeAnswer(tx, await counterFor(tx, actor, row)),
      );
      return counterFor(deps.db, actor, made);
    },
  });
}

function editRoute(deps: CounterRoutesDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/merchant/counter/edit',
    summary: 'Edit a counter',
    description: 'Omitted fields are unchanged. The device shows the change within a minute.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    notFor: ['clerk'],
    status: 200,
    body: z.object({
      counterId: identifier().meta({ example: EXAMPLES.counterId }),
      name: text({ max: NAME_MAX }).optional().meta({ example: 'Till 1' }),
      ...settings,
    }),
    example: { body: { counterId: EXAMPLES.counterId, tips: [5, 10] } },
    data: counterView,
    errors: ['PRICE_NOT_FOUND'],
    handler: async ({ auth: { merchant, actor }, body }) => {
      const { counterId, name, tips, favourites } = body;
      const edited = await editCounter(deps, { merchant, counterId, name, tips, favourites });
      return counterFor(deps.db, actor, edited);
    },
  });
}

function deleteRoute(deps: CounterRoutesDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/counter/delete',
    summary: 'Delete a counter',
    description: 'Its device is rejected from now on. Existing payments are unchanged.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    notFor: ['clerk'],
    status: 200,
    body: z.object({ counterId: identifier().meta({ example: EXAMPLES.counterId }) }),
    data: z.object({ deleted: z.boolean(), counterId: z.string().meta({ example: EXAMPLES.counterId }) }),
    errors: [],
    handler: async ({ auth: { merchantId }, body: { counterId } }) => {
      await deleteCounter(deps, { merchantId, counterId });
      return { deleted: true, counterId };
    },
  });
}

function listRoute(deps: CounterRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/counter/list',
    summary: 'List counters',
    description: 'Counters of the merchant, oldest first, each with the last use of its device.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    status: 200,
    data: z.object({ counters: z.array(counterView) }),
    errors: [],
    handler: async ({ auth: { merchantId, actor } }) => ({
      counters: await countersFor(deps.db, actor, await listCounters(deps.db, merchantId)),
    }),
  });
}

function connectRoute(deps: CounterRoutesDeps): Route {
  const shown = ({ code, expiresAt }: CounterCode) => ({
    code: code.replaceAll(/(?<=^(?:.{4})+)(?=.)/g, '-'),
    url: `${deps.baseUrl}/counter/app#${code}`,
    expiresAt: isoTime(expiresAt),
  });
  return defineRoute({
    method: 'POST',
    path: '/merchant/counter/connect',
    summary: 'Create a code that connects a device',
    description:
      'The device opens `url`, for example by its QR code, or the page `/counter`, where `code` is typed. The code is ' +
      'valid once, for 15 minutes, and shown only here. A device that was connected before is rejected once another ' +
      'one is connected.',
    tags,
    auth: 'merchant',
    scope: 'never',
    status: 201,
    body: z.object({ counterId: identifier().meta({ example: EXAMPLES.counterId }) }),
    data: z.object({
      code: secret(z.string()).meta({ example: '7X2K-9MQW-4PT0' }),
      url: secret(z.string()).meta({ example: 'https://pay.shop.example/counter/app#7X2K9MQW4PT0' }),
      expiresAt: timestamp(),
    }),
    errors: [],
    handler: async ({ auth: { merchantId }, body: { counterId }, storeAnswer }) =>
      shown(
        await createCounterCode(deps, { merchantId, counterId }, async (tx, made) =>
          storeAnswer(tx, shown(made)),
        ),
      ),
  });
}
