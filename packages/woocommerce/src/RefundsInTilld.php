<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\Tilld;

defined('ABSPATH') || exit;

/**
 * What was given back in tilld itself, by its dashboard for example, becomes a refund of the order that no gateway is asked
 * for. Both together are never more than the order costs.
 */
final class RefundsInTilld
{
    /** Meta of a refund: the send of tilld that it stands for. */
    private const SEND = '_tilld_refund_send';
    /** Meta of an order: the sends that the shopkeeper was told of, with blanks between. */
    private const TOLD = '_tilld_refunds_told';
    private const TAKEN = ['broadcast', 'confirmed'];

    /** Whether a refund that was paid by its link failed afterwards: its link is open again. */
    public static function haveFailed(\WC_Order $order, array $payment): bool
    {
        $isTaken = [];
        foreach ($payment['refunds'] as $given) {
            $linkId = (string) $given['linkId'];
            $isTaken[$linkId] = ($isTaken[$linkId] ?? false) || in_array($given['status'], self::TAKEN, true);
        }
        foreach ($order->get_refunds() as $refund) {
            // The payment's list is cut to its newest entries: of what is not in it, nothing is known.
            $isPaid = $refund->get_meta(Refunds::STATUS) === 'paid';
            if ($isPaid && ($isTaken[(string) $refund->get_meta(Refunds::LINK)] ?? true) === false) {
                return true;
            }
        }
        return false;
    }

    /** Called under the lock of the order. */
    public static function apply(\WC_Order $order, array $payment): void
    {
        if (!Methods::isOurs($order) || strtoupper($payment['currency']) !== strtoupper($order->get_currency())) {
            return;
        }
        $own = [];
        foreach ($order->get_refunds() as $refund) {
            $own[] = (string) $refund->get_meta(Refunds::LINK);
        }
        foreach ($payment['refunds'] as $given) {
            if ($given['linkId'] !== null && in_array($given['linkId'], $own, true)) {
                continue;
            }
            if (in_array($given['status'], self::TAKEN, true)) {
                self::record($order, $payment, $given);
            } elseif ($given['status'] === 'failed') {
                self::remove($order, $given);
            }
        }
    }

    private static function record(\WC_Order $order, array $payment, array $given): void
    {
        if ($given['fiatAmount'] === null || $payment['keptFiat'] === null) {
            return;
        }
        $currency = $order->get_currency();
        $order = Orders::fresh($order->get_id());
        $missing = Amounts::minor($given['fiatAmount'], $currency) - self::recorded($order, $given['sendId']);
        // What goes back of an order that is not paid yet is asked for again, and no refund of it.
        $isPaid = $order->get_date_paid() !== null;
        if ($isPaid && $missing > 0 && !self::adoptManual($order, $given['sendId'], $missing)) {
            $amount = min($missing, Refunds::remaining($order), self::unrecorded($order, $payment));
            if ($amount > 0) {
                self::create($order, $given['sendId'], Tilld::formatMinor($amount, $currency));
            }
        }
        if (self::isNews($order, $given['sendId'])) {
            /* translators: 1: amount with its currency 2: transaction */
            $text = __('%1$s were given back in tilld: %2$s.', 'tilld-for-woocommerce');
            $order->add_order_note(sprintf($text, Amounts::shown($given['fiatAmount'], $currency), (string) $given['txHash']));
        }
    }

    /** What of a send is among the order's refunds, in minor units. */
    private static function recorded(\WC_Order $order, string $sendId): int
    {
        $sum = 0;
        foreach ($order->get_refunds() as $refund) {
            if ($refund->get_meta(self::SEND) === $sendId) {
                $sum += Amounts::minor($refund->get_amount(), $order->get_currency());
            }
        }
        return $sum;
    }

    /** What of the price is not kept and not among the refunds that were paid: giving back an excess is no refund of the order. */
    private static function unrecorded(\WC_Order $order, array $payment): int
    {
        $currency = $order->get_currency();
        $rest = Amounts::minor($payment['amount'], $currency) - Amounts::minor($payment['keptFiat'], $currency);
        foreach ($order->get_refunds() as $refund) {
            $isPaid = $refund->get_meta(Refunds::STATUS) === 'paid' || (string) $refund->get_meta(self::SEND) !== '';
            $rest -= $isPaid ? Amounts::minor($refund->get_amount(), $currency) : 0;
        }
        return $rest;
    }

    /** The shopkeeper may have refunded by hand what he sent in tilld: that is the same money. */
    private static function adoptManual(\WC_Order $order, string $sendId, int $amount): bool
    {
        foreach ($order->get_refunds() as $refund) {
            $isManual = (string) $refund->get_meta(Refunds::LINK) === '' && (string) $refund->get_meta(self::SEND) === '' && !$refund->get_refunded_payment();
            if ($isManual && Amounts::minor($refund->get_amount(), $order->get_currency()) === $amount) {
                $refund->update_meta_data(self::SEND, $sendId);
                $refund->save();
                return true;
            }
        }
        return false;
    }

    private static function create(\WC_Order $order, string $sendId, string $amount): void
    {
        // Named before it is saved: a process that dies in between must not make it twice.
        $name = static function ($refund) use ($sendId): void {
            $refund->update_meta_data(self::SEND, $sendId);
        };
        add_action('woocommerce_create_refund', $name);
        try {
            $refund = Amounts::unrounded(static function () use ($order, $amount) {
                return wc_create_refund([
                    'order_id' => $order->get_id(),
                    'amount' => $amount,
                    'reason' => __('Given back in tilld', 'tilld-for-woocommerce'),
                    'refund_payment' => false,
                ]);
            });
        } finally {
            remove_action('woocommerce_create_refund', $name);
        }
        if (is_wp_error($refund)) {
            // phpcs:ignore WordPress.Security.EscapeOutput.ExceptionNotEscaped -- goes to the log
            throw new \RuntimeException("no refund of {$amount} for {$sendId}: " . $refund->get_error_message());
        }
    }

    /** A send that will not happen after all. */
    private static function remove(\WC_Order $order, array $given): void
    {
        foreach ($order->get_refunds() as $refund) {
            if ($refund->get_meta(self::SEND) !== $given['sendId']) {
                continue;
            }
            $amount = Amounts::shown($refund->get_amount(), $order->get_currency());
            $refundId = $refund->get_id();
            Orders::fresh($refundId)->delete(true);
            // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals -- the hook of WooCommerce, which does not call it here itself
            do_action('woocommerce_refund_deleted', $refundId, $order->get_id());
            /* translators: %s: amount with its currency */
            $order->add_order_note(sprintf(__('The refund of %s in tilld failed: nothing was paid back, so the refund is removed here.', 'tilld-for-woocommerce'), $amount));
        }
    }

    private static function isNews(\WC_Order $order, string $sendId): bool
    {
        $told = (string) $order->get_meta(self::TOLD);
        if (in_array($sendId, explode(' ', $told), true)) {
            return false;
        }
        $order->update_meta_data(self::TOLD, trim("{$told} {$sendId}"));
        $order->save();
        return true;
    }
}
