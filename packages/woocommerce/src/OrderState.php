<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\Tilld;

defined('ABSPATH') || exit;

/** Brings an order to what its payment says. Only changes act: what the shopkeeper does by hand meanwhile stays. */
final class OrderState
{
    /** Called under the lock of the order, with the payment as it was answered under it. */
    public static function apply(\WC_Order $order, array $payment): void
    {
        $state = Tilld::shopState($payment);
        $was = (string) $order->get_meta(Orders::STATE);
        if ($state === 'paid' && !Amounts::fit($order, $payment)) {
            $state = 'other-amount';
        }
        if ($state === 'paid' && self::isWorthless($payment)) {
            $state = 'simulated';
        }
        $wasPaid = in_array($was, ['paid', 'reversed'], true);
        if ($wasPaid && in_array($state, ['waiting', 'seen', 'lost'], true)) {
            $state = 'reversed';
        }
        $told = "{$payment['id']} {$state} " . ($payment['exception'] ?? '');
        $isCancelledWithMoney = $order->has_status('cancelled') && !in_array($state, ['waiting', 'lost', 'refunded', 'simulated'], true);
        if ($told === (string) $order->get_meta(Orders::TOLD) && !$isCancelledWithMoney) {
            return;
        }
        $order->update_meta_data(Orders::STATE, $state);
        $order->update_meta_data(Orders::TOLD, $told);
        if (!Methods::isOurs($order)) {
            self::tellOfOtherMethod($order, $payment, $state);
        } else {
            self::act($order, $payment, $state, $was);
        }
        $order->save();
    }

    /** Simulated money: anybody can make it on tilld's page, so it pays orders in the test mode only. */
    public static function isWorthless(array $payment): bool
    {
        return $payment['sandbox'] && Gateway::setting('test_mode', 'no') !== 'yes';
    }

    /** Another payment of an order that has its money already got money as well. */
    public static function tellOfMore(\WC_Order $order, array $payment): void
    {
        $state = Tilld::shopState($payment);
        $meta = '_tilld_told_' . $payment['id'];
        if (in_array($state, ['waiting', 'lost'], true) || (string) $order->get_meta($meta) === $state) {
            return;
        }
        $order->update_meta_data($meta, $state);
        /* translators: 1: payment id 2: amounts of coins */
        $text = __('Money came for another payment of this order as well, %1$s: %2$s. Give it back in tilld.', 'tilld-for-woocommerce');
        $order->add_order_note(sprintf($text, $payment['id'], Amounts::received($payment)));
        $order->save_meta_data();
    }

    private static function act(\WC_Order $order, array $payment, string $state, string $was): void
    {
        $received = Amounts::received($payment);
        switch ($state) {
            case 'waiting':
            case 'lost':
                self::withoutMoney($order, $payment, $was);
                return;
            case 'seen':
                self::see($order, $payment, $received);
                return;
            case 'short':
                /* translators: 1: amounts of coins 2: price with its currency */
                $text = __('Too little came: %1$s of %2$s. The customer can still pay the rest.', 'tilld-for-woocommerce');
                $isNews = !$order->has_status(['pending', 'failed', 'cancelled']);
                self::hold($order, sprintf($text, $received, Amounts::shown($payment['amount'], $payment['currency'])));
                if ($isNews) {
                    // No mail of a new status tells the customer.
                    PaymentLink::mailRest($order);
                }
                return;
            case 'late':
                /* translators: %s: amounts of coins */
                $text = __('Money came after its time: %s. Accept it or give it back in tilld; until then do not deliver.', 'tilld-for-woocommerce');
                self::hold($order, sprintf($text, $received));
                return;
            case 'other-amount':
                /* translators: 1: amount that was paid 2: amount that the order costs now */
                $text = __('%1$s were paid, but the order is now at %2$s: look at it before you deliver.', 'tilld-for-woocommerce');
                $now = Amounts::shown($order->get_total(), $order->get_currency());
                self::hold($order, sprintf($text, Amounts::shown($payment['amount'], $payment['currency']), $now));
                return;
            case 'simulated':
                self::hold($order, __('Simulated money came: nothing was earned, do not deliver. To try things out, switch on the test mode in the settings of tilld.', 'tilld-for-woocommerce'));
                return;
            case 'paid':
                self::complete($order, $payment, $received);
                return;
            case 'reversed':
                $text = __('The payment is GONE: the network took it back after it was final. Do not deliver, or get in touch with the customer. tilld goes on watching.', 'tilld-for-woocommerce');
                self::stop($order, $text);
                return;
            case 'refunded':
                // The refund that the shopkeeper made here is settled by its link, which tells it as well.
                if (!$order->has_status('refunded') && !Refunds::hasOpen($order)) {
                    $order->update_status('refunded', __('The money went back, as tilld says.', 'tilld-for-woocommerce'));
                }
        }
    }

    private static function see(\WC_Order $order, array $payment, string $received): void
    {
        if (!OrderStatuses::isDeliveredEarly($order, $payment)) {
            /* translators: %s: amounts of coins */
            self::hold($order, sprintf(__('Payment seen: %s. It is not final yet: do not deliver.', 'tilld-for-woocommerce'), $received));
            return;
        }
        /* translators: %s: amounts of coins */
        $text = sprintf(__('Payment seen: %s. It is not final yet, but the settings say not to wait.', 'tilld-for-woocommerce'), $received);
        $isWaiting = $order->has_status(['pending', 'failed', 'cancelled', 'on-hold']);
        $isWaiting ? $order->update_status('processing', $text) : $order->add_order_note($text);
    }

    private static function withoutMoney(\WC_Order $order, array $payment, string $was): void
    {
        $wasUnderWay = in_array($was, ['seen', 'short', 'late', 'other-amount', 'simulated'], true);
        if ($wasUnderWay && OrderStatuses::isUnderWay($order)) {
            self::stop($order, __('The payment is GONE: the network dropped it before it was final, and the order is already being processed. Do not deliver, or get in touch with the customer.', 'tilld-for-woocommerce'));
            return;
        }
        if ($wasUnderWay) {
            $text = __('The money that was seen is gone again: nothing is paid.', 'tilld-for-woocommerce');
            $order->has_status('on-hold') ? $order->update_status('pending', $text) : $order->add_order_note($text);
            return;
        }
        if ($payment['status'] === 'expired' && $order->has_status('pending')) {
            $order->add_order_note(__('The time to pay is over; nothing was paid.', 'tilld-for-woocommerce'));
        }
    }

    private static function complete(\WC_Order $order, array $payment, string $received): void
    {
        /* translators: %s: amounts of coins */
        $text = sprintf(__('Paid: %s, final.', 'tilld-for-woocommerce'), $received);
        if ($payment['exception'] === 'overpaid') {
            $text .= ' ' . __('That is more than was asked for: you can give back the excess in tilld.', 'tilld-for-woocommerce');
        }
        if ($payment['exception'] === 'late') {
            $text .= ' ' . __('It came after its time.', 'tilld-for-woocommerce');
        }
        if ($payment['sandbox']) {
            $text .= ' ' . __('This is simulated money: do not deliver.', 'tilld-for-woocommerce');
        }
        $order->add_order_note($text);
        if ($order->has_status(['pending', 'failed', 'on-hold', 'cancelled']) || OrderStatuses::isUnderWay($order)) {
            $order->payment_complete($payment['id']);
        }
    }

    /** Whatever the shopkeeper has done with the order: he must look at it. A note of a status that stays would be lost. */
    private static function stop(\WC_Order $order, string $text): void
    {
        $order->has_status('on-hold') ? $order->add_order_note($text) : $order->update_status('on-hold', $text);
    }

    /** Waits for the network or the shopkeeper. What he has moved on himself stays where it is. */
    private static function hold(\WC_Order $order, string $text): void
    {
        if ($order->has_status(['pending', 'failed', 'cancelled'])) {
            $order->update_status('on-hold', $text);
            return;
        }
        $order->add_order_note($text);
    }

    /** The customer took another way to pay: nothing of it is undone, money is told. */
    private static function tellOfOtherMethod(\WC_Order $order, array $payment, string $state): void
    {
        if (in_array($state, ['waiting', 'lost'], true)) {
            return;
        }
        /* translators: 1: amounts of coins 2: name of another payment method */
        $text = __('%1$s came by tilld, though this order is paid by %2$s: give it back in tilld, or look into it.', 'tilld-for-woocommerce');
        $order->add_order_note(sprintf($text, Amounts::received($payment), $order->get_payment_method_title()));
    }
}
