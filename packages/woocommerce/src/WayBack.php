<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** The one address that a customer comes back to from tilld. It knows the order, asks tilld, and leads on. */
final class WayBack
{
    private const ENDPOINT = 'tilld-return';
    /** A page must not wait for a webhook that is being handled longer than for tilld itself. */
    private const LOCK_SECONDS = 4.0;

    public static function hook(): void
    {
        add_action('woocommerce_api_' . self::ENDPOINT, [self::class, 'answer']);
        add_action('template_redirect', [self::class, 'leavePayPage'], 5);
    }

    /** Whoever has the key of an order may see it, as on WooCommerce's own pages. */
    public static function url(\WC_Order $order): string
    {
        $query = ['order' => $order->get_id(), 'key' => $order->get_order_key()];
        return add_query_arg($query, WC()->api_request_url(self::ENDPOINT));
    }

    public static function answer(): void
    {
        nocache_headers();
        // The order's key stands for a nonce: it comes from another site, and nothing but the order's state is read.
        // phpcs:disable WordPress.Security.NonceVerification.Recommended
        $orderId = isset($_GET['order']) ? absint(wp_unslash($_GET['order'])) : 0;
        $key = isset($_GET['key']) && is_string($_GET['key']) ? sanitize_text_field(wp_unslash($_GET['key'])) : '';
        // phpcs:enable
        wp_safe_redirect(self::target($orderId, $key));
        exit;
    }

    /** Where a customer goes on. */
    public static function target(int $orderId, string $key): string
    {
        $order = self::orderFor($orderId, $key);
        if ($order === null) {
            return home_url('/');
        }
        self::refresh($orderId);
        $order = Orders::fresh($orderId);
        if (Orders::hasMoney($order)) {
            CartOrder::emptyCartOf($order);
            return $order->get_checkout_order_received_url();
        }
        if (CartOrder::isInCart($order)) {
            return wc_get_checkout_url();
        }
        if ($order->needs_payment()) {
            return $order->get_checkout_payment_url();
        }
        // Given up, or paid in another way.
        return $order->has_status('cancelled') ? home_url('/') : $order->get_checkout_order_received_url();
    }

    /** Asks tilld, so that a page shows what is so now; where no answer comes in time, what is stored stands. */
    public static function refresh(int $orderId): void
    {
        try {
            Connection::beBrief(static function () use ($orderId): void {
                Orders::sync($orderId, null, self::LOCK_SECONDS);
            });
        } catch (\Throwable $error) {
            Log::warning("order {$orderId} could not be looked up for the customer", $error);
        }
    }

    /** WooCommerce refuses to have an order on hold paid further: the rest is paid by the link of the order's page. */
    public static function leavePayPage(): void
    {
        if (!is_wc_endpoint_url('order-pay')) {
            return;
        }
        // phpcs:ignore WordPress.Security.NonceVerification.Recommended -- the order's key stands for a nonce, and the customer is only led on
        $key = isset($_GET['key']) && is_string($_GET['key']) ? sanitize_text_field(wp_unslash($_GET['key'])) : '';
        $order = self::orderFor(absint(get_query_var('order-pay')), $key);
        if ($order !== null && Methods::isOurs($order) && Orders::hasMoney($order)) {
            wp_safe_redirect($order->get_checkout_order_received_url());
            exit;
        }
    }

    private static function orderFor(int $orderId, string $key): ?\WC_Order
    {
        $order = $orderId > 0 ? wc_get_order($orderId) : null;
        return $order instanceof \WC_Order && $key !== '' && hash_equals($order->get_order_key(), $key) ? $order : null;
    }
}
