<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\Tilld;

defined('ABSPATH') || exit;

/** The shop's refund button makes a link by which the customer names his address; the refund is done when tilld paid it. */
final class Refunds
{
    /** Meta of a refund: its link, and what has become of it. */
    public const LINK = '_tilld_refund_link';
    public const STATUS = '_tilld_refund_status';

    private const MAX_REASON = 500;
    /** Kept in place of the status of a link whose claim cannot be sent at present. */
    private const DELAYED = 'delayed';

    /** @var ?\WC_Order_Refund That which WooCommerce is making now: the gateway is only told its amount. */
    private static $making = null;

    public static function hook(): void
    {
        add_action('woocommerce_create_refund', static function ($refund): void {
            self::$making = $refund;
        });
        add_action('wp_ajax_woocommerce_refund_line_items', [self::class, 'keepDecimals'], 1);
        add_filter('woocommerce_order_fully_refunded_status', [self::class, 'statusWhileOpen'], 10, 3);
    }

    /** On the page of an order WooCommerce rounds a refund to the decimals that the shop shows, before it is made. */
    public static function keepDecimals(): void
    {
        // Only a look at which order it is: WooCommerce checks the nonce of the request and its user.
        // phpcs:ignore WordPress.Security.NonceVerification.Missing
        $order = wc_get_order(isset($_POST['order_id']) ? absint($_POST['order_id']) : 0);
        if ($order instanceof \WC_Order && (string) $order->get_meta(Orders::PAYMENT) !== '') {
            Amounts::keepDecimals();
        }
    }

    /** @param string|float|null $amount */
    public static function make(\WC_Order $order, $amount, string $reason): void
    {
        $refund = self::$making;
        self::$making = null;
        if ($refund === null || !$refund->get_id() || (int) $refund->get_parent_id() !== $order->get_id()) {
            throw new \RuntimeException('no refund of this order is being made');
        }
        $payment = Connection::client(2)->payments->get(['paymentId' => (string) $order->get_meta(Orders::PAYMENT)]);
        if (Orders::idIn($payment) !== $order->get_id()) {
            throw new \RuntimeException('the payment is of the shop that this site is a copy of');
        }
        $body = [
            // The webhook that names the payment with the money may still be under way.
            'paymentId' => $payment['supersededBy'] ?? $payment['id'],
            'amount' => Amounts::text($amount, $order->get_currency()),
            'currency' => $order->get_currency(),
        ];
        if ($reason !== '') {
            $body['reason'] = mb_substr($reason, 0, self::MAX_REASON);
        }
        $key = 'wc-refund-' . Connection::site() . '-' . $refund->get_id();
        $link = Connection::client(2)->refundLinks->create($body, ['idempotencyKey' => $key]);
        $refund->update_meta_data(self::LINK, $link['id']);
        $refund->update_meta_data(self::STATUS, $link['status']);
        $refund->save();
        self::tell($order, $link);
    }

    /** Keeps the order's status while its customer has not got the money yet. */
    public static function statusWhileOpen($status, $orderId, $refundId)
    {
        $refund = wc_get_order($refundId);
        return $refund && self::isOpen($refund) ? false : $status;
    }

    public static function hasOpen(\WC_Order $order): bool
    {
        foreach ($order->get_refunds() as $refund) {
            if (self::isOpen($refund)) {
                return true;
            }
        }
        return false;
    }

    /** Brings the order's refunds to what their links say. Called under the lock of the order. */
    public static function settle(\WC_Order $order, array $payment): void
    {
        if (!self::hasOpen($order)) {
            return;
        }
        $links = [];
        foreach (Connection::client()->refundLinks->all(['paymentId' => $payment['id']]) as $link) {
            $links[$link['id']] = $link;
        }
        foreach ($order->get_refunds() as $refund) {
            $refund = Orders::fresh($refund->get_id());
            $link = $links[(string) $refund->get_meta(self::LINK)] ?? null;
            if ($link !== null && self::isOpen($refund) && self::statusOf($link) !== $refund->get_meta(self::STATUS)) {
                self::applyLink($order, $refund, $link);
            }
        }
        $isAllBack = (float) $order->get_remaining_refund_amount() <= 0 && !self::hasOpen($order);
        if ($isAllBack && $order->get_refunds() !== [] && !$order->has_status('refunded')) {
            $order->update_meta_data(Orders::STATE, 'refunded');
            $order->update_status('refunded');
        }
    }

    private static function isOpen($refund): bool
    {
        return (string) $refund->get_meta(self::LINK) !== '' && in_array($refund->get_meta(self::STATUS), ['open', 'claimed', 'approved', self::DELAYED], true);
    }

    /** The status of a link, or that its claim cannot be sent at present. */
    private static function statusOf(array $link): string
    {
        $isClaimed = in_array($link['status'], ['claimed', 'approved'], true);
        return $isClaimed && ($link['problem'] ?? null) !== null ? self::DELAYED : $link['status'];
    }

    private static function applyLink(\WC_Order $order, \WC_Order_Refund $refund, array $link): void
    {
        $before = $refund->get_meta(self::STATUS);
        $status = self::statusOf($link);
        $refund->update_meta_data(self::STATUS, $status);
        $refund->save();
        $amount = Amounts::shown($link['amount'], $link['currency']);
        switch ($status) {
            case self::DELAYED:
                /* translators: 1: amount with its currency 2: reason */
                $order->add_order_note(sprintf(__('The refund of %1$s cannot be sent at present, and is tried again: %2$s', 'tilld-for-woocommerce'), $amount, (string) $link['problem']));
                return;
            case 'claimed':
                // The claim was told before it was delayed.
                if ($before === self::DELAYED) {
                    return;
                }
                /* translators: %s: amount with its currency */
                $order->add_order_note(sprintf(__('The customer has claimed the refund of %s. Approve it in tilld.', 'tilld-for-woocommerce'), $amount));
                return;
            case 'paid':
                /* translators: 1: amount with its currency 2: transaction */
                $order->add_order_note(sprintf(__('The refund of %1$s is paid: %2$s.', 'tilld-for-woocommerce'), $amount, (string) $link['txHash']));
                return;
            case 'expired':
            case 'cancelled':
                /* translators: 1: amount with its currency 2: date */
                $text = $link['status'] === 'expired'
                    ? __('Nobody claimed the refund of %1$s in time. Nothing was paid back, so the refund is removed here.', 'tilld-for-woocommerce')
                    : __('The link for the refund of %1$s was cancelled in tilld. Nothing was paid back, so the refund is removed here.', 'tilld-for-woocommerce');
                $order->add_order_note(sprintf($text, $amount));
                $refundId = $refund->get_id();
                $refund->delete(true);
                do_action('woocommerce_refund_deleted', $refundId, $order->get_id());
        }
    }

    /** A note to the customer is mailed to him by WooCommerce and shown with his order. */
    private static function tell(\WC_Order $order, array $link): void
    {
        $isToCustomer = Gateway::setting('refund_mail', 'yes') === 'yes' && is_email((string) $order->get_billing_email());
        /* translators: 1: amount with its currency 2: address of a page 3: date */
        $text = $isToCustomer
            ? __('Your refund of %1$s is ready. Say where to send it until %3$s: %2$s', 'tilld-for-woocommerce')
            : __('Refund of %1$s: give this link to the customer and to nobody else; he can claim the money there until %3$s: %2$s', 'tilld-for-woocommerce');
        $until = wp_date((string) get_option('date_format'), (int) strtotime($link['expiresAt']));
        $order->add_order_note(sprintf($text, Amounts::shown($link['amount'], $link['currency']), $link['url'], $until), $isToCustomer ? 1 : 0);
        if ($link['approval']) {
            $order->add_order_note(__('Once the customer has claimed the refund, approve it in tilld: then it is sent.', 'tilld-for-woocommerce'));
        }
    }
}
