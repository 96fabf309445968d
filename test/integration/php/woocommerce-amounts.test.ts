import { expect, it } from 'vitest';
import { roundFiat } from '../../../packages/sdk/src/index.ts';
import { runPhp } from './run-php.ts';

/** The plugin's amounts without WordPress: a filter that does nothing, and an order with two fields. */
const PLUGIN = `
  define('ABSPATH', '/');
  function has_filter() { return false; }
  function add_filter() {}
  function remove_filter() {}
  class WC_Order {
    private $total; private $currency;
    public function __construct($total, $currency) { $this->total = $total; $this->currency = $currency; }
    public function get_total() { return $this->total; }
    public function get_currency() { return $this->currency; }
  }
  require 'packages/woocommerce/src/Amounts.php';`;

interface Row {
  readonly decimal: string;
  readonly currency: string;
}

/** Up to nine digits before the point and six behind it: what floats of a shop hold exactly enough. */
function rows(): Row[] {
  return ['EUR', 'JPY', 'KWD', 'CLF', 'USD'].flatMap((currency) =>
    Array.from({ length: 800 }, (_, round) => {
      const whole = String(Math.floor(10 ** (Math.random() * 9)));
      const decimals = round % 7;
      const random = String(Math.floor(Math.random() * 10 ** decimals)).padStart(decimals, '0');
      const fraction = round % 3 === 0 ? `${random.slice(1)}5`.slice(0, decimals) : random;
      return { decimal: decimals === 0 ? whole : `${whole}.${fraction}`, currency };
    }),
  );
}

it('the WooCommerce plugin parses an amount identically as a string and as a float', async () => {
  const given = rows();
  const answers = await runPhp<[string, string, number][]>(
    `${PLUGIN}
    return array_map(function ($row) {
      return [
        Tilld\\WooCommerce\\Amounts::text($row['decimal'], $row['currency']),
        Tilld\\WooCommerce\\Amounts::text((float) $row['decimal'], $row['currency']),
      ];
    }, $given);`,
    given,
  );
  const expected = given.map(({ decimal, currency }) => roundFiat(decimal, currency));
  expect(answers).toEqual(expected.map((text) => [text, text]));
});

it('the WooCommerce plugin accepts a payment of the rounded order total, and none that differs by a minor unit', async () => {
  const answers = await runPhp<[boolean, boolean, boolean][]>(
    `${PLUGIN}
    $fit = function ($total, $currency, $amount, $paid) {
      return Tilld\\WooCommerce\\Amounts::fit(new WC_Order($total, $currency), ['amount' => $amount, 'currency' => $paid]);
    };
    return array_map(function ($row) use ($fit) {
      ['decimal' => $total, 'currency' => $currency] = $row;
      $asked = Tilld\\WooCommerce\\Amounts::text($total, $currency);
      $more = Tilld\\Tilld::formatMinor(Tilld\\WooCommerce\\Amounts::minor($total, $currency) + 1, $currency);
      return [
        $fit($total, $currency, $asked, $currency) && $fit((float) $total, strtolower($currency), $asked, $currency),
        $fit($total, $currency, $more, $currency),
        $fit($total, $currency, $asked, $currency === 'EUR' ? 'USD' : 'EUR'),
      ];
    }, $given);`,
    rows(),
  );
  for (const answer of answers) expect(answer).toEqual([true, false, false]);
});

it('the WooCommerce plugin parses amounts with float noise, exponents, spaces or no digits as the shop means them', async () => {
  const texts = await runPhp(
    `${PLUGIN}
    $given = [0.1 + 0.2, 1.15 * 3, 1e-7, 1e12, '', ' 5.5 ', '1E3', 24.900000000000002, 1234567890.005];
    return array_map(function ($amount) { return Tilld\\WooCommerce\\Amounts::text($amount, 'EUR'); }, $given);`,
  );
  expect(texts).toEqual([
    '0.30',
    '3.45',
    '0.00',
    '1000000000000.00',
    '0.00',
    '5.50',
    '1000.00',
    '24.90',
    '1234567890.01',
  ]);
});

it('the WooCommerce plugin never matches a payment to an order in an unknown currency, and shows the order', async () => {
  const [isFit, shown] = await runPhp<[boolean, string]>(
    `${PLUGIN}
    $order = new WC_Order('5.5', 'PTS');
    return [
      Tilld\\WooCommerce\\Amounts::fit($order, ['amount' => '5.5', 'currency' => 'EUR']),
      Tilld\\WooCommerce\\Amounts::shown('5.5', 'pts'),
    ];`,
  );
  expect([isFit, shown]).toEqual([false, '5.5 PTS']);
});

it.each(["'-1'", "'abc'", 'INF', 'NAN', "'1,5'", 'null'])(
  'the WooCommerce plugin rejects the amount %s',
  async (amount) => {
    const refused = await runPhp(
      `${PLUGIN}
    try { return Tilld\\WooCommerce\\Amounts::text(${amount}, 'EUR'); } catch (InvalidArgumentException $e) { return 'refused'; }`,
    );
    expect(refused).toBe('refused');
  },
);
