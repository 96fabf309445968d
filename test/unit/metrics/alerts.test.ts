import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

const { groups } = parse(readFileSync('config/alerts.yml', 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const tests = readFileSync('config/alerts.test.yml', 'utf8');

describe('config/alerts.yml', () => {
  it('alerts on a missing metric only where that means that the daemon is down', () => {
    const absent = rules.filter(({ expr }) => expr.includes('absent('));
    expect(absent.map(({ alert }) => alert)).toEqual(['TilldDown']);
  });

  it('has a case in alerts.test.yml for each alert', () => {
    const names = rules.map(({ alert }) => alert);
    expect(names.filter((name) => !tests.includes(`alertname="${name}"`))).toEqual([]);
  });
});
