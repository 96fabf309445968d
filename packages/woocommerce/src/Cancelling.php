<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\Tilld;

defined('ABSPATH') || exit;

/**
 * An order is given up only once its payment is: tilld is asked first, and where money came, or it cannot be asked, the
 * order stays. That holds for every way of cancelling, because all of them save the order.
 */
final class Cancelling
{
    /** @var array<int, true> Orders that are being saved: with money, so that they stay, and without. */
    private static $refused = [];
    private static $givenUp = [];

    public static function hook(): void
    {
        add_filter('woocommerce_cancel_unpaid_order', [self::class, 'includeBlockCheckout'], 1, 2);
        add_filter('woocommerce_cancel_unpaid_order', [self::class, 'mayCleanUp'], 20, 2);
        add_action('woocommerce_before_order_object_save', [self::class, 'beforeSave']);
        add_action('woocommerce_before_order_object_save', [self::class, 'methodChanged']);
        add_action('woocommerce_after_order_object_save', [self::class, 'afterSave']);
        add_action('woocommerce_order_status_changed', [self::class, 'paidOtherwise'], 10, 4);
        add_action('woocommerce_before_trash_order', [self::class, 'trashed']);
        add_action('woocommerce_before_delete_order', [self::class, 'trashed']);
    }

    /**
     * WooCommerce's clean-up proposes orders of the classic checkout only. Those of the block checkout were made by a
     * customer in the same way. Runs first, so that other plugins can still refuse.
     */
    public static function includeBlockCheckout($isCleanedUp, $order): bool
    {
        return $isCleanedUp || (Methods::isOurs($order) && $order->get_created_via() === 'store-api');
    }

    /** WooCommerce's clean-up of unpaid orders: whether this one may go. */
    public static function mayCleanUp($isCleanedUp, $order): bool
    {
        if (!$isCleanedUp || !self::isOurs($order)) {
            return (bool) $isCleanedUp;
        }
        try {
            return Lock::hold("order_{$order->get_id()}", static function () use ($order): bool {
                $fresh = Orders::fresh($order->get_id());
                return $fresh->has_status('pending') && self::giveUp($fresh);
            });
        } catch (\Throwable $error) {
            Log::warning("order {$order->get_id()} is not cleaned up: tilld could not be asked", $error);
            return false;
        }
    }

    /** Puts the status back where the order is about to be cancelled and its payment is not. */
    public static function beforeSave($order): void
    {
        $changes = $order->get_changes();
        if (($changes['status'] ?? '') !== 'cancelled' || !$order->get_id() || !self::isOurs($order)) {
            return;
        }
        $before = (string) Orders::fresh($order->get_id())->get_status();
        try {
            if (self::giveUp($order)) {
                self::$givenUp[$order->get_id()] = true;
                return;
            }
            // As a change that was asked for: WooCommerce itself notes it, and what happened follows once it is saved.
            in_array($before, ['pending', 'failed'], true) ? $order->set_status('on-hold') : self::keepStatus($order, $before);
        } catch (\Throwable $error) {
            Log::warning("order {$order->get_id()} is not cancelled: tilld could not be asked", $error);
            self::keepStatus($order, $before);
            $order->add_order_note(__('Not cancelled: tilld could not be asked whether money came. Please try again.', 'tilld-for-woocommerce'));
        }
    }

    /** The status as it was, and no change of it: WooCommerce would note one "from On hold to On hold". */
    private static function keepStatus(\WC_Order $order, string $status): void
    {
        $order->set_status($status);
        $forget = static function (\WC_Order $order): void {
            if (property_exists($order, 'status_transition')) {
                $order->status_transition = false;
            }
        };
        \Closure::bind($forget, null, \WC_Order::class)($order);
    }

    /** What tilld says at once: money may also have come between its answer and this save. */
    public static function afterSave($order): void
    {
        $orderId = $order->get_id();
        $wasRefused = isset(self::$refused[$orderId]);
        $isGivenUp = isset(self::$givenUp[$orderId]) && $order->has_status('cancelled');
        unset(self::$refused[$orderId], self::$givenUp[$orderId]);
        if ($wasRefused) {
            $order->add_order_note(__('Not cancelled: the customer has paid, at least in part.', 'tilld-for-woocommerce'));
        }
        if (!$wasRefused && !$isGivenUp) {
            return;
        }
        try {
            Orders::sync($orderId);
        } catch (\Throwable $error) {
            Log::warning("order {$orderId} could not be looked up after it was cancelled", $error);
        }
    }

    /** The customer chose another method, whose page is open from now on: the payment here must not take money as well. */
    public static function methodChanged($order): void
    {
        $id = (string) $order->get_meta(Orders::PAYMENT);
        if ($id === '' || !isset($order->get_changes()['payment_method']) || Methods::isOurs($order)) {
            return;
        }
        Connection::beBrief(static function () use ($id, $order): void {
            self::tryToCancel($id, "order {$order->get_id()}, to be paid by {$order->get_payment_method()}");
        });
    }

    /** Paid in another way, by another method or by the shopkeeper's hand: the payment here must not take money as well. */
    public static function paidOtherwise($orderId, $from, $to, $order): void
    {
        $id = (string) $order->get_meta(Orders::PAYMENT);
        $isOurs = Methods::isOurs($order);
        $paid = $isOurs ? ['processing', 'completed'] : ['processing', 'completed', 'on-hold'];
        if ($id === '' || !in_array($to, $paid, true) || ($isOurs && Orders::hasMoney($order))) {
            return;
        }
        self::tryToCancel($id, "order {$orderId}, paid by " . ($isOurs ? 'hand' : $order->get_payment_method()));
    }

    public static function trashed($orderId): void
    {
        $order = wc_get_order($orderId);
        $id = $order instanceof \WC_Order ? (string) $order->get_meta(Orders::PAYMENT) : '';
        if ($id !== '' && $order->has_status(['pending', 'failed'])) {
            self::tryToCancel($id, "order {$orderId}, which is deleted");
        }
    }

    private static function isOurs($order): bool
    {
        return Methods::isOurs($order)
            && ((string) $order->get_meta(Orders::PAYMENT) !== '' || (string) $order->get_meta(Orders::ASKED) !== '');
    }

    /**
     * Cancels the payment of an order, unless money came.
     *
     * @return bool whether the order may go
     * @throws \Throwable when tilld could not be asked
     */
    private static function giveUp(\WC_Order $order): bool
    {
        $payment = OrderPayments::current($order);
        if ($payment === null) {
            return true;
        }
        if (Tilld::shopState($payment) === 'waiting') {
            $payment = OrderPayments::close($payment);
        }
        if (in_array(Tilld::shopState($payment), ['lost', 'refunded'], true) || OrderState::isWorthless($payment)) {
            return true;
        }
        if ($order->get_changes() === []) {
            OrderState::apply($order, $payment);
        } else {
            self::$refused[$order->get_id()] = true;
        }
        return false;
    }

    private static function tryToCancel(string $paymentId, string $what): void
    {
        try {
            $payment = Connection::client()->payments->get(['paymentId' => $paymentId]);
            if (Orders::idIn($payment) === null) {
                return;
            }
            Connection::client()->payments->cancel(['paymentId' => $paymentId]);
        } catch (\Throwable $error) {
            Log::warning("the payment {$paymentId} of {$what} could not be cancelled", $error);
        }
    }
}
