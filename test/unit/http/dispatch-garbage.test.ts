import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Request, Response } from 'express';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { dispatch, type DispatchDeps } from '../../../src/http/server/dispatch.ts';
import { defineRoute } from '../../../src/http/server/route.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void;

const route = defineRoute({
  method: 'GET',
  path: '/nothing',
  summary: 'Nothing',
  description: 'Nothing.',
  tags: [],
  auth: 'none',
  scope: 'never',
  status: 200,
  data: z.object({}),
  errors: [],
  handler: async () => ({}),
});
const deps = { checkAnswers: false } as DispatchDeps;
const socket = new Socket();

/** Serves requests as they come, now and then a quick collection between them. */
async function serve(count: number): Promise<void> {
  for (let served = 1; served <= count; served += 1) {
    const req = new IncomingMessage(socket);
    const res = Object.assign(new ServerResponse(req), { locals: {} });
    await dispatch(deps, route, req as Request, res as unknown as Response);
    if (served % 100 === 0) collect({ type: 'minor' });
  }
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;
}

it('dispatch keeps no reference to a finished request, so that garbage collection frees it', async () => {
  await serve(2_000);
  collect({ type: 'major' });
  const before = oldBytes();
  await serve(2_000);
  const perRequest = (oldBytes() - before) / 2_000;
  expect(perRequest).toBeLessThan(400);
});
