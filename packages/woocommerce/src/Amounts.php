<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\Tilld;

defined('ABSPATH') || exit;

/**
 * Amounts of WooCommerce as tilld has them: decimal strings with the decimals of their currency, half up. How many decimals
 * the shop shows (`wc_get_price_decimals()`) is a setting of its pages and no property of the money.
 */
final class Amounts
{
    /** So many digits of a float are exact: the rest is noise of its binary form. */
    private const FLOAT_DIGITS = 15;
    /** As many as any currency has. */
    private const MOST_DECIMALS = 4;

    /**
     * As tilld takes and shows amounts of a currency: "19.90", "1990", "0.050". All amounts are rounded here and nowhere
     * else, so that what is asked for is what is compared later.
     *
     * @param string|float|int $amount
     * @throws \InvalidArgumentException for what is not an amount, and for a currency that tilld does not know
     */
    public static function text($amount, string $currency): string
    {
        return Tilld::roundFiat(self::decimal($amount), $currency);
    }

    /**
     * In minor units of the currency, to add up and compare.
     *
     * @param string|float|int $amount
     */
    public static function minor($amount, string $currency): int
    {
        return Tilld::parseMinor(self::text($amount, $currency), $currency);
    }

    /** For people: "19.90 EUR"; as it is in a currency that tilld does not know. @param string|float|int $amount */
    public static function shown($amount, string $currency): string
    {
        try {
            $text = self::text($amount, $currency);
        } catch (\InvalidArgumentException $error) {
            $text = (string) $amount;
        }
        return $text . ' ' . strtoupper($currency);
    }

    /** Whether a payment asks for what the order costs. */
    public static function fit(\WC_Order $order, array $payment): bool
    {
        $currency = $order->get_currency();
        return strtoupper($payment['currency']) === strtoupper($currency)
            && self::text($payment['amount'], $currency) === self::text($order->get_total(), $currency);
    }

    /** What came, for the eyes of the shopkeeper: "0.0002 BTC, 0.1 LTC (20.00 EUR)". */
    public static function received(array $payment): string
    {
        $coins = [];
        foreach ($payment['options'] as $coin => $option) {
            if (trim($option['received'], '0.') !== '') {
                $coins[] = "{$option['received']} {$coin}";
            }
        }
        $text = $coins === [] ? '0' : implode(', ', $coins);
        return $payment['receivedFiat'] === null ? $text : "{$text} (" . self::shown($payment['receivedFiat'], $payment['currency']) . ')';
    }

    /**
     * What a function reads from WooCommerce, with all decimals that are stored: WooCommerce rounds an order's total to those
     * that the shop shows also when it reads the order, so that a change of that setting would change paid orders.
     *
     * @return mixed
     */
    public static function unrounded(callable $read)
    {
        $isKept = has_filter('wc_get_price_decimals', [self::class, 'atLeastMost']) !== false;
        self::keepDecimals();
        try {
            return $read();
        } finally {
            if (!$isKept) {
                remove_filter('wc_get_price_decimals', [self::class, 'atLeastMost'], PHP_INT_MAX);
            }
        }
    }

    /** Has WooCommerce round no further than any currency needs, until this request ends. */
    public static function keepDecimals(): void
    {
        add_filter('wc_get_price_decimals', [self::class, 'atLeastMost'], PHP_INT_MAX);
    }

    /** @param int|string $decimals */
    public static function atLeastMost($decimals): int
    {
        return max((int) $decimals, self::MOST_DECIMALS);
    }

    /** Plain decimal digits: no float noise, no exponent, no decimal comma of a locale. @param string|float|int $amount */
    private static function decimal($amount): string
    {
        if (is_string($amount)) {
            $trimmed = trim($amount);
            if ($trimmed === '' || preg_match('/^\d+(\.\d+)?$/D', $trimmed) === 1) {
                return $trimmed === '' ? '0' : $trimmed;
            }
        }
        if (!is_numeric($amount) || !is_finite((float) $amount)) {
            // phpcs:ignore WordPress.Security.EscapeOutput.ExceptionNotEscaped -- goes to the log
            throw new \InvalidArgumentException('not an amount: ' . (is_scalar($amount) ? (string) $amount : gettype($amount)));
        }
        $number = (float) $amount;
        $wholeDigits = strlen(number_format(floor(abs($number)), 0, '', ''));
        return number_format($number, max(0, self::FLOAT_DIGITS - $wholeDigits), '.', '');
    }
}
