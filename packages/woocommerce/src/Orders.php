<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Automattic\WooCommerce\Caches\OrderCache;

defined('ABSPATH') || exit;

/** Which order a payment belongs to, and bringing it up to date, one process at a time. */
final class Orders
{
    /** Meta of an order: its payment, how often one was asked for, and by how many names. */
    public const PAYMENT = '_tilld_payment';
    public const ASKED = '_tilld_asked';
    public const ROUND = '_tilld_round';
    /** Where the customer pays the rest, gets a new rate, or sees what became of his money. */
    public const PAGE = '_tilld_payment_page';
    /** What the shopkeeper was told last, in the words of shopState, and the details that make it another message. */
    public const STATE = '_tilld_state';
    public const TOLD = '_tilld_told';

    /** States in which money came; `reversed`: it was final and is gone, which is for the shopkeeper to settle. */
    private const MONEY_STATES = ['seen', 'paid', 'short', 'late', 'refunded', 'other-amount', 'simulated', 'reversed'];

    /**
     * The order id that tilld knows. Two sites may be connected to one shop; and nobody can guess it, so that a stranger
     * with the shop's public key cannot take the names of the orders to come.
     */
    public static function name(\WC_Order $order, int $round = 1): string
    {
        $orderId = (string) $order->get_id();
        return "{$orderId}-" . substr(hash_hmac('sha256', $orderId, Connection::site()), 0, 16) . ($round === 1 ? '' : "-{$round}");
    }

    /** How many names tilld knows an order by. */
    public static function round(\WC_Order $order): int
    {
        return max(1, (int) $order->get_meta(self::ROUND));
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
     *
     * @param ?string $paymentId the payment that an event named
     * @param float $waitSeconds for another process that has the order
     */
    public static function sync(int $orderId, ?string $paymentId = null, float $waitSeconds = 20.0): void
    {
        Lock::hold("order_{$orderId}", static function () use ($orderId, $paymentId): void {
            $order = self::fresh($orderId);
            if (!$order instanceof \WC_Order) {
                Log::error("payment {$paymentId} is for order {$orderId}, which does not exist any more: look at it in tilld");
                return;
            }
            $before = [$order->get_meta(self::PAYMENT), $order->get_meta(self::PAGE)];
            $payment = OrderPayments::current($order, $paymentId);
            if ($payment === null) {
                return;
            }
            OrderState::apply($order, $payment);
            if ($before !== [$order->get_meta(self::PAYMENT), $order->get_meta(self::PAGE)]) {
                // A payment that changes nothing else of the order would leave the adoption unsaved.
                $order->save();
            }
            Refunds::settle($order, $payment);
        }, $waitSeconds);
    }

    /** The payment itself, or the one of the same order that superseded it: that one has the order's money. */
    public static function lead(array $payment): array
    {
        $lead = $payment['supersededBy'] ?? null;
        return $lead === null ? $payment : Connection::client()->payments->get(['paymentId' => $lead]);
    }

    /** Makes a payment the order's own. The caller saves the order. */
    public static function adopt(\WC_Order $order, array $payment): void
    {
        $order->update_meta_data(self::PAGE, $payment['checkoutUrl']);
        if ((string) $order->get_meta(self::PAYMENT) === $payment['id']) {
            return;
        }
        $order->update_meta_data(self::PAYMENT, $payment['id']);
        /* translators: 1: payment id 2: address of a page */
        $order->add_order_note(sprintf(__('Payment %1$s of tilld: %2$s', 'tilld-for-woocommerce'), $payment['id'], $payment['checkoutUrl']));
    }

    /** Whether money of an order was seen, as far as this shop knows: then nothing else may pay it. */
    public static function hasMoney(\WC_Order $order): bool
    {
        return in_array((string) $order->get_meta(self::STATE), self::MONEY_STATES, true);
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
}
