<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** The payment methods that customers choose from: one for all coins, or one for each coin. */
final class Methods
{
    /** Names of coins by their codes, in the order of the checkout. */
    public const COINS = ['BTC' => 'Bitcoin', 'LTC' => 'Litecoin', 'ETH' => 'Ethereum', 'SOL' => 'Solana'];

    /** @return string[] ids of all gateways of this plugin, whichever are offered at present */
    public static function ids(): array
    {
        return array_merge([GATEWAY], array_map([self::class, 'idOf'], array_keys(self::COINS)));
    }

    public static function idOf(string $coin): string
    {
        return GATEWAY . '_' . strtolower($coin);
    }

    /** Whether an order is paid by one of the methods of this plugin. */
    public static function isOurs($order): bool
    {
        return $order instanceof \WC_Order && in_array($order->get_payment_method(), self::ids(), true);
    }

    /** The only coin that an order may be paid in; null: any. */
    public static function coinOf(\WC_Order $order): ?string
    {
        foreach (array_keys(self::COINS) as $coin) {
            if ($order->get_payment_method() === self::idOf($coin)) {
                return $coin;
            }
        }
        return null;
    }

    public static function isPerCoin(): bool
    {
        return Gateway::setting('methods', 'one') === 'coins';
    }

    /** @return \WC_Payment_Gateway[] those of coins also when only older orders are paid by them: they can be refunded still */
    public static function gateways(): array
    {
        $gateways = [new Gateway()];
        if (self::isPerCoin() || Gateway::setting('coins_used') === 'yes') {
            foreach (array_keys(self::COINS) as $coin) {
                $gateways[] = new CoinGateway($coin);
            }
        }
        return $gateways;
    }
}
