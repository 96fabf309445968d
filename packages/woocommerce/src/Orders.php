<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Automattic\WooCommerce\Caches\OrderCache;
use Tilld\Tilld;

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

    /**
     * The order id that tilld knows. Two sites may be connected to one shop; and nobody can guess it, so that a stranger
     * with the shop's public key cannot take the names of the orders to come.
     */
    public static function name(\WC_Order $order): string
    {
        $orderId = (string) $order->get_id();
        return "{$orderId}-" . substr(hash_hmac('sha256', $orderId, Connection::site()), 0, 16);
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
            $order = self::fresh($orderId);
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
            $payment = self::lead($payment);
            $isOther = $current !== '' && $payment['id'] !== $current;
            $isLead = $payment['id'] !== $wanted || ($isOther && self::isLeadOf($current, $wanted));
            if ($isOther && !$isLead && !self::isSuccessor($order, $wanted)) {
                OrderState::applyEarlier($order, $payment);
                return;
            }
            // A successor with money is the order's own payment from then on: what becomes of its money is told of no earlier one.
            $isAdopted = $isLead || ($isOther && !in_array(Tilld::shopState($payment), ['waiting', 'lost'], true));
            if ($current === '' || $isAdopted) {
                self::adopt($order, $payment['id']);
            }
            OrderState::apply($order, $payment);
            if ($isAdopted) {
                // A payment that changes nothing else of the order would leave the adoption unsaved.
                $order->save();
            }
            Refunds::settle($order, $payment);
        });
    }

    /** The payment itself, or the one of the same order that superseded it: that one has the order's money. */
    public static function lead(array $payment): array
    {
        $lead = $payment['supersededBy'] ?? null;
        return $lead === null ? $payment : Connection::client()->payments->get(['paymentId' => $lead]);
    }

    /** Makes a payment the order's own; the one before it is kept among the earlier ones. */
    public static function adopt(\WC_Order $order, string $paymentId): void
    {
        $before = (string) $order->get_meta(self::PAYMENT);
        if ($before !== '' && $before !== $paymentId) {
            $order->update_meta_data(self::EARLIER, trim($order->get_meta(self::EARLIER) . ' ' . $before));
        }
        $order->update_meta_data(self::PAYMENT, $paymentId);
    }

    /** Whether a payment got the money of the order's present one: its webhooks may come before those that say so of that one. */
    private static function isLeadOf(string $current, string $paymentId): bool
    {
        $present = Connection::client()->payments->get(['paymentId' => $current]);
        return ($present['supersededBy'] ?? null) === $paymentId;
    }

    /**
     * The order as the database has it now. What this process or an object cache kept is from before the lock was held:
     * acting on that would repeat what another process did meanwhile.
     *
     * @return \WC_Order|\WC_Order_Refund|false
     */
    public static function fresh(int $orderId)
    {
        wp_cache_delete($orderId, 'posts');
        wp_cache_delete($orderId, 'post_meta');
        \WC_Cache_Helper::invalidate_cache_group("object_{$orderId}");
        wp_cache_delete(\WC_Cache_Helper::get_cache_prefix('orders') . "refunds{$orderId}", 'orders');
        if (class_exists(OrderCache::class)) {
            wc_get_container()->get(OrderCache::class)->remove($orderId);
        }
        $dataStore = \WC_Data_Store::load('order');
        if (is_callable([$dataStore, 'clear_cached_data'])) {
            $dataStore->clear_cached_data([$orderId]);
        }
        return Amounts::unrounded(static function () use ($orderId) {
            return wc_get_order($orderId);
        });
    }

    /** A payment made after the one that the order knows, whose answer was lost; only while that one got nothing. */
    private static function isSuccessor(\WC_Order $order, string $paymentId): bool
    {
        $isEarlier = in_array($paymentId, explode(' ', (string) $order->get_meta(self::EARLIER)), true);
        return !$isEarlier && in_array($order->get_meta(self::STATE), ['', 'waiting', 'lost'], true);
    }
}
