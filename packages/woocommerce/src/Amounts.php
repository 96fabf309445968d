<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** Amounts as decimal strings: WooCommerce has them as strings or floats, tilld as strings. */
final class Amounts
{
    /** As tilld writes amounts: "20", "19.9", "0.05". @param string|float|int $amount */
    public static function text($amount): string
    {
        $text = number_format((float) $amount, wc_get_price_decimals(), '.', '');
        return strpos($text, '.') === false ? $text : rtrim(rtrim($text, '0'), '.');
    }

    /** Whether a payment asks for what the order costs. */
    public static function fit(\WC_Order $order, array $payment): bool
    {
        $asked = strpos($payment['amount'], '.') === false ? $payment['amount'] : rtrim(rtrim($payment['amount'], '0'), '.');
        return $asked === self::text($order->get_total()) && strtoupper($payment['currency']) === strtoupper($order->get_currency());
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
        return $payment['receivedFiat'] === null ? $text : "{$text} ({$payment['receivedFiat']} {$payment['currency']})";
    }
}
