<?php
/**
 * Plugin Name: Stand-in for WooCommerce
 * Description: What a payment gateway meets of WooCommerce, for tests: orders in tables of their own, gateways, refunds, mails, the clean-up of unpaid orders, wc-api, settings, the pages from the checkout to the order received, with the registry of the block checkout.
 * Version: 0.1
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

define('WC_VERSION', '10.0.0');

require_once __DIR__ . '/cache.php';
require_once __DIR__ . '/orders.php';
require_once __DIR__ . '/refunds.php';
require_once __DIR__ . '/mails.php';
require_once __DIR__ . '/gateways.php';
require_once __DIR__ . '/blocks.php';
require_once __DIR__ . '/cart.php';
require_once __DIR__ . '/pages.php';

/** The object that WC() answers. */
final class WooCommerce
{
    public $cart = null;
    public $session = null;
    private $gateways = null;

    public function payment_gateways(): WC_Payment_Gateways
    {
        $this->gateways = $this->gateways ?? new WC_Payment_Gateways();
        return $this->gateways;
    }

    public function mailer(): WC_Emails
    {
        return WC_Emails::instance();
    }

    public function api_request_url(string $name): string
    {
        $url = add_query_arg('wc-api', $name, trailingslashit(home_url('', 'http')));
        return esc_url_raw(apply_filters('woocommerce_api_request_url', $url, $name, null));
    }
}

function WC(): WooCommerce
{
    static $instance = null;
    $instance = $instance ?? new WooCommerce();
    return $instance;
}

/** Logs go to a file beside the content. */
final class WC_Logger
{
    public function log(string $level, string $text, array $context = []): void
    {
        $line = gmdate('c') . " {$level} [" . ($context['source'] ?? '') . "] {$text}\n";
        file_put_contents(WP_CONTENT_DIR . '/wc.log', $line, FILE_APPEND | LOCK_EX);
    }

    public function __call(string $level, array $given): void
    {
        $this->log($level, ...$given);
    }
}

function wc_get_logger(): WC_Logger
{
    return new WC_Logger();
}

/** A setting of what the shop shows, whatever the currency; plugins filter it. */
function wc_get_price_decimals(): int
{
    return absint(apply_filters('wc_get_price_decimals', get_option('woocommerce_price_num_decimals', 2)));
}

/** @param string|float|int $number @param int|false $decimals @return string */
function wc_format_decimal($number, $decimals = false)
{
    return $decimals === false ? (string) $number : number_format((float) $number, $decimals, '.', '');
}

function wc_get_checkout_url(): string
{
    return home_url('/?page=checkout');
}

function wc_add_notice(string $text, string $type = 'success'): void
{
    $GLOBALS['shop_notices'][] = [$type, $text];
    if (WC()->session) {
        WC()->session->set('notices', array_merge((array) WC()->session->get('notices', []), [[$type, $text]]));
    }
}

function wc_print_notice(string $text, string $type, array $data, bool $isReturned): string
{
    return "<div class='woocommerce-{$type}'>" . wp_kses_post($text) . '</div>';
}

function wc_has_notice(string $text, string $type = 'success'): bool
{
    return in_array([$type, $text], (array) WC()->session->get('notices', []), true);
}

register_activation_hook(__FILE__, static function (): void {
    shop_create_tables();
    get_role('administrator')->add_cap('manage_woocommerce');
});

add_action('plugins_loaded', static function (): void {
    do_action('before_woocommerce_init');
    do_action('woocommerce_blocks_loaded');
}, 20);

add_action('parse_request', static function (): void {
    if (isset($_GET['wc-api'])) {
        do_action('woocommerce_api_' . sanitize_key($_GET['wc-api']));
        status_header(400);
        exit('-1');
    }
}, 0);

add_action('admin_menu', static function (): void {
    add_menu_page('WooCommerce', 'WooCommerce', 'manage_woocommerce', 'wc-settings', static function (): void {
        $gateway = WC()->payment_gateways()->payment_gateways()[sanitize_key($_GET['section'] ?? '')];
        if ($_SERVER['REQUEST_METHOD'] === 'POST') {
            check_admin_referer('woocommerce-settings');
            do_action('woocommerce_update_options_payment_gateways_' . $gateway->id);
            $gateway = WC()->payment_gateways()->payment_gateways()[$gateway->id];
        }
        foreach (WC_Admin_Settings::$errors as $error) {
            echo '<div class="error inline"><p>' . esc_html($error) . '</p></div>';
        }
        echo '<form method="post">';
        $gateway->admin_options();
        wp_nonce_field('woocommerce-settings');
        echo '<button name="save" value="1">Save</button></form>';
    });
});
