<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** The statuses that the shopkeeper chose for orders whose payment was seen, and for those that are paid. */
final class OrderStatuses
{
    public static function hook(): void
    {
        add_filter('woocommerce_payment_complete_order_status', [self::class, 'afterPayment'], 10, 3);
        add_filter('woocommerce_valid_order_statuses_for_payment_complete', [self::class, 'payable'], 10, 2);
    }

    /** What payment_complete moves an order to. */
    public static function afterPayment($status, $orderId, $order = null)
    {
        $chosen = Gateway::setting('paid_status');
        $isChosen = in_array($chosen, ['processing', 'completed'], true);
        return $isChosen && Methods::isOurs($order ?: wc_get_order($orderId)) ? $chosen : $status;
    }

    /** What payment_complete moves an order from. */
    public static function payable($statuses, $order = null): array
    {
        return self::isUnderWay($order) ? array_merge((array) $statuses, ['processing']) : (array) $statuses;
    }

    /** Whether the shop delivers as soon as the whole price was seen. */
    public static function isDeliveredEarly(\WC_Order $order, array $payment): bool
    {
        return self::isEarly() && Amounts::fit($order, $payment) && !OrderState::isWorthless($payment);
    }

    /** Whether an order goes on before its payment is final: it is paid without a transaction. */
    public static function isUnderWay($order): bool
    {
        return self::isEarly() && Methods::isOurs($order) && $order->has_status('processing') && (string) $order->get_transaction_id() === '';
    }

    private static function isEarly(): bool
    {
        return Gateway::setting('seen_status', 'on-hold') === 'processing';
    }
}
