<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** What a customer reads of the payment of an order, with the link to go on: on pages, in mails, in the account. */
final class PaymentLink
{
    /** Themes draw buttons as inline text with padding, which would cover the text above and the button beside. */
    public const ROW = 'display:flex;flex-wrap:wrap;gap:0.75em;margin:0.75em 0';

    public static function hook(): void
    {
        add_action('woocommerce_before_thankyou', [self::class, 'greet']);
        add_action('woocommerce_view_order', [self::class, 'show'], 5);
        add_action('woocommerce_email_before_order_table', [self::class, 'mail'], 10, 3);
        add_filter('woocommerce_my_account_my_orders_actions', [self::class, 'addAction'], 10, 2);
    }

    /** Above the order for the customer who has come back: as it is now. */
    public static function greet($orderId): void
    {
        $order = wc_get_order($orderId);
        if ($order instanceof \WC_Order && Methods::isOurs($order)) {
            WayBack::refresh($order->get_id());
            self::show($orderId);
        }
    }

    /** In the order's view of the account, as it is stored. */
    public static function show($orderId): void
    {
        $order = wc_get_order($orderId);
        $link = $order instanceof \WC_Order ? self::of($order) : null;
        if ($link === null) {
            return;
        }
        $text = self::text($order);
        if ($text !== null) {
            echo '<p class="tilld-state">' . esc_html($text) . '</p>';
        }
        echo '<p style="' . esc_attr(self::ROW) . '"><a class="button wp-element-button tilld-link" href="' . esc_url($link['url']) . '">' . esc_html($link['label']) . '</a></p>';
    }

    public static function mail($order, $isToAdmin, $isPlain = false): void
    {
        $link = !$isToAdmin && $order instanceof \WC_Order && Orders::hasMoney($order) ? self::of($order) : null;
        if ($link === null) {
            return;
        }
        $text = self::text($order);
        if ($isPlain) {
            echo ($text === null ? '' : esc_html($text) . "\n\n") . esc_html("{$link['label']}: ") . esc_url_raw($link['url']) . "\n\n";
            return;
        }
        echo '<p>' . ($text === null ? '' : esc_html($text) . ' ') . '<a href="' . esc_url($link['url']) . '">' . esc_html($link['label']) . '</a></p>';
    }

    /** In the list of orders of the account. */
    public static function addAction($actions, $order)
    {
        $link = $order instanceof \WC_Order ? self::of($order) : null;
        if ($link === null) {
            return $actions;
        }
        if (!Orders::hasMoney($order)) {
            // WooCommerce's own action leads to the same page.
            if (isset($actions['pay'])) {
                $actions['pay']['name'] = $link['label'];
            }
            return $actions;
        }
        /* translators: 1: what the link does 2: order number */
        $label = sprintf(__('%1$s: order %2$s', 'tilld-for-woocommerce'), $link['label'], $order->get_order_number());
        return $actions + ['tilld' => ['url' => $link['url'], 'name' => $link['label'], 'aria-label' => $label]];
    }

    /** A note that WooCommerce mails to the customer: more is to be paid, and no change of the order says so. */
    public static function mailRest(\WC_Order $order): void
    {
        /* translators: %s: address of a page */
        $text = __('A part of the amount has arrived. Please pay the rest: %s', 'tilld-for-woocommerce');
        $order->add_order_note(sprintf($text, $order->get_meta(Orders::PAGE)), is_email((string) $order->get_billing_email()) ? 1 : 0);
    }

    /** @return ?array{url: string, label: string} null where there is nothing to see or to do */
    private static function of(\WC_Order $order): ?array
    {
        $page = (string) $order->get_meta(Orders::PAGE);
        if ($page === '' || !Methods::isOurs($order)) {
            return null;
        }
        $state = (string) $order->get_meta(Orders::STATE);
        if ($state === 'short') {
            return ['url' => $page, 'label' => __('Pay the rest', 'tilld-for-woocommerce')];
        }
        if (Orders::hasMoney($order)) {
            return ['url' => $page, 'label' => __('See the status of your payment', 'tilld-for-woocommerce')];
        }
        if (!$order->needs_payment()) {
            return null;
        }
        $label = $state === 'lost' ? __('Pay at a new rate', 'tilld-for-woocommerce') : __('Pay now', 'tilld-for-woocommerce');
        return ['url' => $order->get_checkout_payment_url(), 'label' => $label];
    }

    private static function text(\WC_Order $order): ?string
    {
        switch ((string) $order->get_meta(Orders::STATE)) {
            case 'waiting':
                return __('Your payment has not been seen yet.', 'tilld-for-woocommerce');
            case 'lost':
                return __('This order is not paid, and the time to pay is over.', 'tilld-for-woocommerce');
            case 'seen':
                return __('Your payment was seen. Your order goes on as soon as the network has confirmed it.', 'tilld-for-woocommerce');
            case 'paid':
                return __('Your payment has arrived. Thank you.', 'tilld-for-woocommerce');
            case 'short':
                return __('A part of the amount has arrived. Please pay the rest, so that your order goes on.', 'tilld-for-woocommerce');
            case 'late':
                return __('Your payment arrived after its time. The shop will get in touch with you.', 'tilld-for-woocommerce');
            case 'reversed':
                return __('The network has taken your payment back. Please get in touch with the shop.', 'tilld-for-woocommerce');
            default:
                return null;
        }
    }
}
