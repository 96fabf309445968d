<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\Tilld;

defined('ABSPATH') || exit;

/**
 * WooCommerce's page for paying an order that was placed, over which the page of tilld opens. Every checkout leads
 * there in the same way, and so do a reload and the browser's Back; where it cannot open, the customer goes to tilld.
 */
final class PayPage
{
    /** @var ?string The page of tilld for the order that is shown; null: none could be made. */
    private static $checkoutUrl = null;

    public static function hook(): void
    {
        add_action('template_redirect', [self::class, 'prepare']);
        add_action('wp_head', [self::class, 'leadOnWithoutScript']);
        foreach (Methods::ids() as $id) {
            add_action("woocommerce_receipt_{$id}", [self::class, 'show']);
        }
    }

    /** Where a customer goes on to after "Place order": this page, where the page of tilld may open over it. */
    public static function urlFor(int $orderId): string
    {
        $url = Checkout::urlFor($orderId);
        return self::openCheckout($orderId) === null ? $url : Orders::fresh($orderId)->get_checkout_payment_url(true);
    }

    /** Before anything is sent: an order that is not waiting for its first money is led on. */
    public static function prepare(): void
    {
        $orderId = self::orderShown();
        if ($orderId === null) {
            return;
        }
        try {
            $open = self::openCheckout($orderId);
            $url = $open ?? Checkout::urlFor($orderId);
            $open = $open ?? self::openCheckout($orderId);
        } catch (\Throwable $error) {
            Log::error("no payment could be shown for order {$orderId}", $error);
            return;
        }
        if ($open === null) {
            // Not wp_safe_redirect: tilld is another host, which the shopkeeper named.
            wp_redirect($url);
            exit;
        }
        self::$checkoutUrl = $open;
    }

    public static function leadOnWithoutScript(): void
    {
        if (self::$checkoutUrl !== null) {
            echo '<noscript><meta http-equiv="refresh" content="0; url=' . esc_url(self::$checkoutUrl) . '"></noscript>' . "\n";
        }
    }

    public static function show($orderId): void
    {
        $order = wc_get_order($orderId);
        $otherWay = '<a class="button wp-element-button" href="' . esc_url($order->get_checkout_payment_url()) . '">' . esc_html__('Pay in another way', 'tilld-for-woocommerce') . '</a>';
        if (self::$checkoutUrl === null) {
            echo '<p role="alert">' . esc_html__('Paying with coins is not possible just now. Please try again in a moment, or choose another way.', 'tilld-for-woocommerce') . '</p><p>' . wp_kses_post($otherWay) . '</p>';
            return;
        }
        wp_enqueue_script('tilld-pay-in-place', plugins_url('assets/pay-in-place.js', FILE), [], VERSION, true);
        $data = [
            'tilld-script' => Embedding::originOf(self::$checkoutUrl) . '/pay.js',
            'tilld-back' => WayBack::url($order),
        ];
        echo '<p id="tilld-pay" style="' . esc_attr(PaymentLink::ROW) . '"';
        foreach ($data as $name => $value) {
            echo ' data-' . esc_attr($name) . '="' . esc_url($value) . '"';
        }
        echo '><a class="button alt wp-element-button" href="' . esc_url(self::$checkoutUrl) . '">' . esc_html__('Pay now', 'tilld-for-woocommerce') . '</a> ' . wp_kses_post($otherWay) . '</p>';
    }

    /** The order of this page, for whoever has its key; null on every other page. */
    private static function orderShown(): ?int
    {
        // phpcs:ignore WordPress.Security.NonceVerification.Recommended -- the key of the order takes the place of a nonce.
        $key = isset($_GET['key']) && !isset($_GET['pay_for_order']) ? sanitize_text_field(wp_unslash($_GET['key'])) : '';
        $order = $key !== '' && is_wc_endpoint_url('order-pay') ? wc_get_order(absint(get_query_var('order-pay'))) : null;
        return $order && Methods::isOurs($order) && hash_equals($order->get_order_key(), $key) ? $order->get_id() : null;
    }

    /**
     * The page of tilld for an order that waits for its first money, at its present price. Looking changes nothing: a
     * payment that is changed asks for another amount of coins than the customer's wallet may already show.
     *
     * @return ?string null: there is no such payment, or its page may not open here
     */
    private static function openCheckout(int $orderId): ?string
    {
        $payment = Lock::hold("order_{$orderId}", static function () use ($orderId): ?array {
            $order = Orders::fresh($orderId);
            $isHere = $order->needs_payment() && PaymentSettings::isInPlace() && Embedding::isAllowed($order->get_checkout_payment_url(true));
            $payment = $isHere ? OrderPayments::current($order) : null;
            return $payment !== null && Tilld::shopState($payment) === 'waiting' && Checkout::isUpToDate($order, $payment) ? $payment : null;
        });
        return $payment === null ? null : $payment['checkoutUrl'];
    }
}
