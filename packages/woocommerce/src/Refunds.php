<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\Tilld;

defined('ABSPATH') || exit;

/**
 * The shop's refund button makes a link by which the customer names his address. WooCommerce has the refund at once; it is
 * settled when tilld paid it, and removed when its link ended without.
 */
final class Refunds
{
    /** Meta of a refund: its link, and what has become of it. */
    public const LINK = '_tilld_refund_link';
    public const STATUS = '_tilld_refund_status';

    private const MAX_REASON = 500;
    /** Kept in place of the status of a link whose claim cannot be sent at present. */
    private const DELAYED = 'delayed';
    private const OPEN = ['open', 'claimed', 'approved', self::DELAYED];

    /** @var ?\WC_Order_Refund That which WooCommerce is making now: the gateway is only told its amount. */
    private static $making = null;

    public static function hook(): void
    {
        add_action('woocommerce_create_refund', static function ($refund): void {
            self::$making = $refund;
        });
        add_action('wp_ajax_woocommerce_refund_line_items', [self::class, 'keepDecimals'], 1);
        add_filter('woocommerce_order_fully_refunded_status', [self::class, 'statusWhileOpen'], 10, 3);
        RefundMails::hook();
        RefundFees::hook();
        DeletedRefunds::hook();
    }

    /** On the page of an order WooCommerce rounds a refund to the decimals that the shop shows, before it is made. */
    public static function keepDecimals(): void
    {
        // Only a look at which order it is: WooCommerce checks the nonce of the request and its user.
        // phpcs:ignore WordPress.Security.NonceVerification.Missing
        $order = Orders::fresh(isset($_POST['order_id']) ? absint($_POST['order_id']) : 0);
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
        $terms = [
            // The webhook that names the payment with the money may still be under way.
            'paymentId' => $payment['supersededBy'] ?? $payment['id'],
            'amount' => Amounts::text($amount, $order->get_currency()),
            'currency' => $order->get_currency(),
            'deductFee' => RefundFees::areDeducted(),
        ];
        if ($reason !== '') {
            $terms['reason'] = mb_substr($reason, 0, self::MAX_REASON);
        }
        self::open($order, $refund, $terms, 'wc-refund-' . Connection::site() . '-' . $refund->get_id());
    }

    /** Makes the link of a refund and tells it. @param array $terms of `POST /payment/refund-link` */
    public static function open(\WC_Order $order, \WC_Order_Refund $refund, array $terms, string $idempotencyKey): void
    {
        $link = Connection::client(2)->refundLinks->create($terms, ['idempotencyKey' => $idempotencyKey]);
        $refund->update_meta_data(self::LINK, $link['id']);
        $refund->update_meta_data(self::STATUS, $link['status']);
        RefundMails::hold($refund);
        $refund->save();
        self::tell($order, $link);
    }

    /** Keeps the order's status while its customer has not got the money yet. */
    public static function statusWhileOpen($status, $orderId, $refundId)
    {
        $refund = wc_get_order($refundId);
        $order = wc_get_order($orderId);
        $isOpen = ($refund && self::isOpen($refund)) || ($order instanceof \WC_Order && self::hasOpen($order));
        return $isOpen ? false : $status;
    }

    public static function hasOpen(\WC_Order $order): bool
    {
        return self::openOf($order) !== [];
    }

    /** @return \WC_Order_Refund[] those whose money the customer has not got yet */
    public static function openOf(\WC_Order $order): array
    {
        return array_values(array_filter($order->get_refunds(), [self::class, 'isOpen']));
    }

    public static function isOpen($refund): bool
    {
        return (string) $refund->get_meta(self::LINK) !== '' && in_array($refund->get_meta(self::STATUS), self::OPEN, true);
    }

    /** Whether all the order's money went back. */
    public static function isWhole(\WC_Order $order): bool
    {
        return $order->get_refunds() !== [] && self::remaining($order) <= 0 && !self::hasOpen($order);
    }

    /** In minor units: WooCommerce would round it to the decimals that the shop shows. Open refunds count. */
    public static function remaining(\WC_Order $order): int
    {
        $currency = $order->get_currency();
        $remaining = Amounts::minor($order->get_total(), $currency);
        foreach ($order->get_refunds() as $refund) {
            $remaining -= Amounts::minor($refund->get_amount(), $currency);
        }
        return $remaining;
    }

    /** Brings the order's refunds to what tilld says. Called under the lock of the order. */
    public static function settle(\WC_Order $order, array $payment): void
    {
        $hadOpen = self::hasOpen($order);
        // WooCommerce stores a refund before it asks for its link: only what is settled now may end the order.
        $isSettling = $hadOpen || RefundMails::areDue($order);
        $links = $hadOpen || RefundsInTilld::haveFailed($order, $payment) ? self::linksOf($payment) : [];
        foreach ($links === [] ? [] : $order->get_refunds() as $refund) {
            $refund = Orders::fresh($refund->get_id());
            $link = $links[(string) $refund->get_meta(self::LINK)] ?? null;
            if ($link !== null && self::statusOf($link) !== $refund->get_meta(self::STATUS)) {
                self::applyLink($order, $refund, $link);
            }
        }
        RefundsInTilld::apply($order, $payment);
        $order = Orders::fresh($order->get_id());
        $isReturned = $payment['status'] === 'refunded' && !self::hasOpen($order);
        if ($isSettling && (self::isWhole($order) || $isReturned) && !$order->has_status('refunded')) {
            $order->update_meta_data(Orders::STATE, 'refunded');
            Amounts::unrounded(static function () use ($order): void {
                $order->update_status('refunded');
            });
        }
        RefundMails::sendDue($order);
    }

    /** @return array<string, array> all links of a payment by their id */
    private static function linksOf(array $payment): array
    {
        $links = [];
        foreach (Connection::client()->refundLinks->all(['paymentId' => $payment['id']]) as $link) {
            $links[$link['id']] = $link;
        }
        return $links;
    }

    /** The status of a link, or that its claim cannot be sent at present. */
    private static function statusOf(array $link): string
    {
        $isClaimed = in_array($link['status'], ['claimed', 'approved'], true);
        return $isClaimed && ($link['problem'] ?? null) !== null ? self::DELAYED : $link['status'];
    }

    private static function applyLink(\WC_Order $order, \WC_Order_Refund $refund, array $link): void
    {
        $before = (string) $refund->get_meta(self::STATUS);
        $status = self::statusOf($link);
        $refund->update_meta_data(self::STATUS, $status);
        $refund->save();
        $note = self::noteOf($link, $status, $before);
        if ($note !== null) {
            $order->add_order_note($note);
        }
        if (in_array($status, ['expired', 'cancelled'], true)) {
            $refundId = $refund->get_id();
            $refund->delete(true);
            // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals -- the hook of WooCommerce, which does not call it here itself
            do_action('woocommerce_refund_deleted', $refundId, $order->get_id());
        }
    }

    /** What the shopkeeper is told of a link's new status. */
    private static function noteOf(array $link, string $status, string $before): ?string
    {
        $amount = Amounts::shown($link['amount'], $link['currency']);
        if ($before === 'paid') {
            /* translators: %s: amount with its currency */
            return sprintf(__('The refund of %s was not paid after all: its transaction failed. tilld pays it again once it is claimed again, or approved.', 'tilld-for-woocommerce'), $amount);
        }
        switch ($status) {
            case self::DELAYED:
                /* translators: 1: amount with its currency 2: reason */
                $text = __('The refund of %1$s cannot be sent at present, and is tried again: %2$s', 'tilld-for-woocommerce');
                return trim(sprintf($text, $amount, (string) $link['problem']) . ' ' . RefundFees::hint($link));
            case 'claimed':
                // The claim was told before it was delayed.
                /* translators: %s: amount with its currency */
                return $before === self::DELAYED ? null : sprintf(__('The customer has claimed the refund of %s. Approve it in tilld.', 'tilld-for-woocommerce'), $amount);
            case 'paid':
                /* translators: 1: amount with its currency 2: transaction */
                return sprintf(__('The refund of %1$s is paid: %2$s.', 'tilld-for-woocommerce'), $amount, (string) $link['txHash']);
            case 'expired':
                /* translators: %s: amount with its currency */
                return sprintf(__('Nobody claimed the refund of %s in time. Nothing was paid back, so the refund is removed here. Refund it again to give the customer a new link.', 'tilld-for-woocommerce'), $amount);
            case 'cancelled':
                return self::noteOfCancelled($link, $amount);
            default:
                return null;
        }
    }

    private static function noteOfCancelled(array $link, string $amount): string
    {
        if (($link['cancelReason'] ?? null) === 'refunded_elsewhere') {
            /* translators: %s: amount with its currency */
            return sprintf(__('The link for the refund of %s ended: the payment was recorded in tilld as refunded elsewhere.', 'tilld-for-woocommerce'), $amount);
        }
        /* translators: %s: amount with its currency */
        return sprintf(__('The link for the refund of %s was cancelled in tilld. Nothing was paid back, so the refund is removed here. Refund it again to give the customer a new link.', 'tilld-for-woocommerce'), $amount);
    }

    /** A note to the customer is mailed to him by WooCommerce and shown with his order. */
    private static function tell(\WC_Order $order, array $link): void
    {
        $isToCustomer = Gateway::setting('refund_mail', 'yes') === 'yes' && is_email((string) $order->get_billing_email());
        $text = $isToCustomer
            /* translators: 1: amount with its currency 2: address of a page 3: date */
            ? __('Your refund of %1$s is ready. Say where to send it until %3$s: %2$s', 'tilld-for-woocommerce')
            /* translators: 1: amount with its currency 2: address of a page 3: date */
            : __('Refund of %1$s: give this link to the customer and to nobody else; he can claim the money there until %3$s: %2$s', 'tilld-for-woocommerce');
        $until = wp_date((string) get_option('date_format'), (int) strtotime($link['expiresAt']));
        $order->add_order_note(sprintf($text, Amounts::shown($link['amount'], $link['currency']), $link['url'], $until), $isToCustomer ? 1 : 0);
        if ($link['approval']) {
            $order->add_order_note(__('Once the customer has claimed the refund, approve it in tilld: then it is sent.', 'tilld-for-woocommerce'));
        }
        if ($link['deductFee']) {
            $order->add_order_note(__('The network fee is taken out of this refund.', 'tilld-for-woocommerce'));
        }
    }
}
