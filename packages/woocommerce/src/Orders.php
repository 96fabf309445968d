<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** Which order a payment belongs to, and bringing it up to date, one process at a time. */
final class Orders
{
    /** Meta of an order: its payment, the earlier ones (with blanks between), how often one was asked for. */
    public const PAYMENT = '_tilld_payment';
    public const EARLIER = '_tilld_earlier_payments';
    public const ASKED = '_tilld_asked';
    /** What the shopkeeper was told last, in the words of shopState, and the details that make it another message. */
    public const STATE = '_tilld_state';
    public const TOLD = '_tilld_told';

    /** The order id that tilld knows. Two sites may be connected to one shop. */
    public static function name(\WC_Order $order): string
    {
        return $order->get_id() . '-' . substr(Connection::site(), 0, 8);
    }

    /** The order of a payment that this site made; null for others. */
    public static function idIn(array $payment): ?int
    {
        $ours = $payment['metadata']['woocommerce'] ?? null;
        if (!is_array($ours) || ($ours['site'] ?? null) !== Connection::site() || !is_int($ours['order'] ?? null)) {
            return null;
        }
        return $ours['order'];
    }

    /**
     * Asks tilld for the payment of an order and acts on it. Asked under the lock, so that what was asked last is also
     * applied last.
     */
    public static function sync(int $orderId, ?string $paymentId = null): void
    {
        Lock::hold("order_{$orderId}", static function () use ($orderId, $paymentId): void {
            $order = wc_get_order($orderId);
            if (!$order instanceof \WC_Order) {
                Log::error("payment {$paymentId} is for order {$orderId}, which does not exist any more: look at it in tilld");
                return;
            }
            $current = (string) $order->get_meta(self::PAYMENT);
            $wanted = $paymentId ?? $current;
            if ($wanted === '') {
                return;
            }
            $payment = Connection::client()->payments->get(['paymentId' => $wanted]);
            if (self::idIn($payment) !== $orderId) {
                Log::warning("payment {$wanted} is not one of order {$orderId}");
                return;
            }
            $isEarlier = in_array($wanted, explode(' ', (string) $order->get_meta(self::EARLIER)), true);
            if ($isEarlier && $wanted !== $current) {
                OrderState::applyEarlier($order, $payment);
                return;
            }
            if ($current === '') {
                $order->update_meta_data(self::PAYMENT, $wanted);
            }
            OrderState::apply($order, $payment);
            Refunds::settle($order, $payment);
        });
    }
}
