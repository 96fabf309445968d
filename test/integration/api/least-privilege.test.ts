import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as http from '../../../src/app/http.ts';
import { routeDependencies } from '../../../src/app/route-dependencies.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
/** What the composition root hands to the HTTP side. */
const handed: Parameters<typeof http.createHttp>[0][] = [];
const { createHttp } = http;
const spy = vi.spyOn(http, 'createHttp').mockImplementation((deps) => {
  handed.push(deps);
  return createHttp(deps);
});
beforeAll(async () => {
  till = await Till.start();
});
afterAll(async () => {
  spy.mockRestore();
  await till.end();
});

/** The path to the first thing with a method of this name, through named properties of objects and functions. */
function pathTo(method: string, from: unknown): string | null {
  const seen = new Set<unknown>();
  const waiting: [path: string, value: unknown][] = [['', from]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, value] = next;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value))
      continue;
    seen.add(value);
    if (typeof Reflect.get(value, method) === 'function') return path;
    if (value instanceof Map || value instanceof Set) waiting.push([`${path}[]`, [...value]]);
    for (const name of Object.getOwnPropertyNames(value)) {
      const of = Reflect.getOwnPropertyDescriptor(value, name);
      waiting.push([`${path}.${name}`, of?.value]);
    }
  }
  return null;
}

function parts(): [string, object][] {
  return handed.flatMap((deps) => Object.entries(routeDependencies(deps)));
}

it('the check of access to private keys detects a key source that is nested in any object', () => {
  const source = { privateKey: () => new Uint8Array() };
  expect(pathTo('privateKey', { a: new Map([['b', [source]]]) })).toBe('.a[].0.1.0');
  class Holder {
    readonly keys = source;
  }
  expect(pathTo('privateKey', { holder: new Holder() })).toBe('.holder.keys');
});

it('no route and no page can reach the source of private keys', () => {
  expect(handed).toHaveLength(1);
  expect(parts().map(([name, part]) => [name, pathTo('privateKey', part)])).toEqual(
    parts().map(([name]) => [name, null]),
  );
});

it('only the code that sends coins has access to a signing function', () => {
  const able = parts().filter(([, part]) => pathTo('sign', part) !== null);
  expect(able.map(([name]) => name)).toEqual(['sends']);
});
