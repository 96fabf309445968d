import { expect, it } from 'vitest';
import { currencyDigits, formatMinor, parseMinor, roundFiat } from '../../../packages/sdk/src/index.ts';
import { CURRENCIES } from '../../../src/domain/currencies.ts';
import { runPhp } from './run-php.ts';

const STRANGE = ['', '-1', '1,5', '1.', '.5', '1e3', ' 1', '1\n', 'NaN', '9'.repeat(65)];

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Amounts of every length, at the edges of rounding more often than chance would bring them there. */
function* amounts(): Generator<[amount: string, currency: string]> {
  for (const currency of ['EUR', 'JPY', 'KWD', 'CLF', 'usd']) {
    for (const amount of STRANGE) yield [amount, currency];
    for (let round = 0; round < 400; round++) {
      const whole = String(Math.floor(10 ** (Math.random() * 15)));
      const nines = '9'.repeat(Math.floor(Math.random() * 5));
      const fraction = [nines, '5', '49', '50', '0', String(Math.floor(Math.random() * 1e6))];
      yield [`${nines}${whole}.${fraction[round % fraction.length]}0${nines}`, currency];
      yield [`${whole}.${nines}${fraction[(round + 1) % fraction.length]}1`.slice(0, 24), currency];
      yield [whole, currency];
    }
  }
}

it('the PHP client has the same currencies and decimals as the daemon', async () => {
  const digits = await runPhp<Record<string, number | null>>(
    `$all = [];
    foreach ($given as $code) {
      try { $all[$code] = Tilld\\Tilld::currencyDigits($code); } catch (InvalidArgumentException $e) { $all[$code] = null; }
    }
    return $all;`,
    [...CURRENCIES, 'eur', 'BTC', 'XAU', 'EURO', ''],
  );
  const expected = Object.fromEntries(CURRENCIES.map((code) => [code, currencyDigits(code)]));
  expect(digits).toEqual({ ...expected, eur: 2, BTC: null, XAU: null, EURO: null, '': null });
});

it('the PHP client rounds, parses and formats amounts like the SDK', async () => {
  const given = [...amounts()];
  const answers = await runPhp<[string | null, number | null][]>(
    `$read = function (callable $read) { try { return $read(); } catch (InvalidArgumentException $e) { return null; } };
    return array_map(function ($row) use ($read) {
      [$amount, $currency] = $row;
      $minor = $read(function () use ($amount, $currency) { return Tilld\\Tilld::parseMinor($amount, $currency); });
      if ($minor !== null && Tilld\\Tilld::formatMinor($minor, $currency) !== Tilld\\Tilld::roundFiat($amount, $currency)) {
        throw new Exception("{$amount} {$currency}");
      }
      return [$read(function () use ($amount, $currency) { return Tilld\\Tilld::roundFiat($amount, $currency); }), (string) $minor];
    }, $given);`,
    given,
  );
  const expected = given.map(([amount, currency]) => {
    const minor = orNull(() => parseMinor(amount, currency));
    const fits = minor !== null && minor < 10n ** 18n;
    return [orNull(() => roundFiat(amount, currency)), fits ? String(minor) : ''];
  });
  expect(answers).toEqual(expected);
  expect(expected.filter(([rounded]) => rounded !== null).length).toBeGreaterThan(5_000);
});

it('the PHP client refuses to format a negative amount', async () => {
  const refused = await runPhp(
    `try { return Tilld\\Tilld::formatMinor(-1, 'EUR'); } catch (InvalidArgumentException $e) { return 'refused'; }`,
  );
  expect([refused, formatMinor(0, 'EUR')]).toEqual(['refused', '0.00']);
});
