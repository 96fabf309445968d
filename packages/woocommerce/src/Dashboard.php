<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** Addresses in the dashboard of tilld, and the link on the order screen that leads there. */
final class Dashboard
{
    public static function hook(): void
    {
        add_action('woocommerce_admin_order_data_after_order_details', [self::class, 'showLink']);
    }

    public static function paymentUrl(string $paymentId): string
    {
        return self::url("/payments/{$paymentId}");
    }

    public static function settingsUrl(): string
    {
        return self::url('/settings');
    }

    /** Also while nothing is paid: WooCommerce itself links only paid transactions. */
    public static function showLink($order): void
    {
        $paymentId = $order instanceof \WC_Order ? (string) $order->get_meta(Orders::PAYMENT) : '';
        $url = self::paymentUrl($paymentId);
        if ($paymentId !== '' && $url !== '') {
            echo '<p class="form-field form-field-wide"><a id="tilld-payment" href="' . esc_url($url) . '" target="_blank" rel="noopener">' . esc_html__('Payment in tilld', 'tilld-for-woocommerce') . '</a></p>';
        }
    }

    private static function url(string $path): string
    {
        $connection = Connection::get();
        return $connection === null ? '' : "{$connection['url']}/dashboard/shop/{$connection['merchantId']}{$path}";
    }
}
