/** The access gates of docs/subscriptions.md, run as they are printed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { subscriptionAccess } from '../../../packages/sdk/src/index.ts';
import { LIBRARY, phpProgram, runPhp } from '../php/run-php.ts';

const HOUR = 3_600_000;
const START = Date.parse('2027-01-01T00:00:00Z');
const iso = (ms: number): string => new Date(ms).toISOString();

function example(language: string): string {
  const document = readFileSync('docs/subscriptions.md', 'utf8');
  const code = new RegExp(`\`\`\`${language} access-gate\\n(.*?)\`\`\``, 's').exec(document)?.[1];
  if (code === undefined) throw new Error(`docs/subscriptions.md has no gate in ${language}`);
  return code;
}

interface Gate {
  mayEnter(subscriptionId: string): Promise<boolean>;
  onEvent(event: object): void;
}
type CreateGate = (tilld: object, now: () => number) => Gate;

async function loadGate(): Promise<CreateGate> {
  const dir = mkdtempSync(join(tmpdir(), 'tilld-gate-'));
  try {
    const file = join(dir, 'gate.mjs');
    const sdk = pathToFileURL(resolve('packages/sdk/src/index.ts')).href;
    writeFileSync(file, example('js').replace('@tilld/sdk', sdk));
    return ((await import(file)) as { createGate: CreateGate }).createGate;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

it('subscriptionAccess grants access until activeUntil, and returns no conclusion for an invalid time', async () => {
  const cases = [iso(START), iso(START + 1), iso(START - 1), null];
  expect(cases.map((activeUntil) => subscriptionAccess({ activeUntil }, START).isGranted)).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect(() => subscriptionAccess({ activeUntil: 'soon' }, START)).toThrow(RangeError);
  const seconds = [iso(START), iso(START + 1_000), null];
  const granted = await runPhp(
    `return array_map(function ($until) use ($given) {
      return Tilld\\Tilld::subscriptionAccess(['activeUntil' => $until], $given['now']);
    }, $given['seconds']);`,
    { seconds, now: START / 1000 },
  );
  expect(granted).toEqual([false, true, false]);
});

it('the access check for Node reads the subscription once an hour and after an event, and grants the paid time while tilld is unreachable', async () => {
  const createGate = await loadGate();
  let [now, asked, isAway, activeUntil] = [START, 0, false, iso(START + 3 * HOUR)];
  const get = async () => {
    asked += 1;
    if (isAway) throw new Error('away');
    return { id: 'sub_1', activeUntil };
  };
  const gate = createGate({ subscriptions: { get } }, () => now);
  expect([await gate.mayEnter('sub_1'), await gate.mayEnter('sub_1'), asked]).toEqual([true, true, 1]);
  activeUntil = iso(START);
  gate.onEvent({ data: { subscription: { id: 'sub_1' } } });
  expect([await gate.mayEnter('sub_1'), asked]).toEqual([false, 2]);
  activeUntil = iso(START + 3 * HOUR);
  now += HOUR;
  expect([await gate.mayEnter('sub_1'), asked]).toEqual([true, 3]);
  isAway = true;
  now += HOUR;
  expect(await gate.mayEnter('sub_1')).toBe(true);
  now += HOUR;
  expect(await gate.mayEnter('sub_1')).toBe(false);
  await expect(gate.mayEnter('sub_2')).rejects.toThrow('away');
});

it('the access check for PHP reads the subscription once an hour and after an event, and grants the paid time while tilld is unreachable', async () => {
  const [uses = '', gate = ''] = example('php').split(/\n\n(.*)/s);
  const program = `${uses}
    require '${LIBRARY}';
    stream_get_contents(STDIN);
    ${gate}
    final class Subscriptions
    {
        public int $asked = 0;
        public string $until = '2027-01-01T03:00:00.000Z';
        public bool $isAway = false;
        public function get(array $query): array
        {
            $this->asked++;
            if ($this->isAway) { throw new \\Tilld\\ConnectionException('NO_ANSWER', 'away'); }
            return ['id' => $query['subscriptionId'], 'activeUntil' => $this->until];
        }
    }
    $tilld = new Tilld(['baseUrl' => 'http://127.0.0.1:9', 'key' => 'sk_1']);
    $tilld->subscriptions = $subscriptions = new Subscriptions();
    $now = strtotime('2027-01-01T00:00:00Z');
    $gate = new Gate($tilld, function () use (&$now) { return $now; });
    $seen = [$gate->mayEnter('sub_1'), $gate->mayEnter('sub_1'), $subscriptions->asked];
    $subscriptions->until = '2027-01-01T00:00:00.000Z';
    $gate->onEvent(['data' => ['subscription' => ['id' => 'sub_1']]]);
    array_push($seen, $gate->mayEnter('sub_1'), $subscriptions->asked);
    $subscriptions->until = '2027-01-01T03:00:00.000Z';
    $now += 3600;
    array_push($seen, $gate->mayEnter('sub_1'), $subscriptions->asked);
    $subscriptions->isAway = true;
    $now += 3600;
    $seen[] = $gate->mayEnter('sub_1');
    $now += 3600;
    $seen[] = $gate->mayEnter('sub_1');
    try { $gate->mayEnter('sub_2'); } catch (\\Tilld\\TilldException $error) { $seen[] = 'unknown'; }
    echo json_encode($seen);`;
  expect(JSON.parse(await phpProgram(program))).toEqual([
    true,
    true,
    1,
    false,
    2,
    true,
    3,
    true,
    false,
    'unknown',
  ]);
});
