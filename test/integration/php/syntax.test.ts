import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const CHECK = 'test/integration/php/newer-than-74.php';

function newerThan74(files: readonly string[]): string[] {
  const printed = execFileSync('php', [CHECK, ...files], { encoding: 'utf8' });
  return printed.split('\n').filter((line) => line !== '');
}

it('the PHP packages use no syntax or function newer than PHP 7.4', () => {
  const files = globSync('packages/{php,woocommerce}/**/*.php');
  expect(files.length).toBeGreaterThan(0);
  expect(newerThan74(files)).toEqual([]);
});

it('the check for PHP 7.4 detects newer syntax and functions', () => {
  const dir = mkdtempSync(join(tmpdir(), 'php-syntax-'));
  const file = join(dir, 'new.php');
  const lines = [
    '<?php',
    '$a = match (1) { 1 => 2 };',
    '$a?->b();',
    'class C { function __construct(private int $x) {} }',
    'function f(int|string $x) {}',
    'function g(): mixed {}',
    'function h($a, $b,) {}',
    'f(x: 1);',
    'str_contains("a", "b");',
    'try { } catch (E) { }',
    '$c = strlen(...);',
    '$d = $a ?? throw new E();',
    'enum Suit { case Hearts; }',
    'class D { public readonly int $x; }',
    'function i(): static {}',
    'f(1, 2,); $e = $a | $b; switch ($a) { default: throw new E(); } $f = $a ? x: y;',
  ];
  writeFileSync(file, lines.join('\n'));
  const found = new Set(newerThan74([file]).map((line) => Number(/:(\d+) /.exec(line)?.[1])));
  rmSync(dir, { recursive: true });
  expect([...found].sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
});
