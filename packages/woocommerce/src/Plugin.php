<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** Hooks everything into WordPress and WooCommerce. */
final class Plugin
{
    public static function hook(): void
    {
        add_action('before_woocommerce_init', [self::class, 'declareCompatibility']);
        add_action('plugins_loaded', [self::class, 'start']);
        add_action('init', [self::class, 'translate'], 1);
        add_filter('cron_schedules', [Reconcile::class, 'addSchedule']);
        add_filter('plugin_action_links_' . plugin_basename(FILE), [self::class, 'addSettingsLink']);
        // Before WordPress drops the tables of the site, at 10.
        add_action('wp_uninitialize_site', [self::class, 'removeSite'], 5);
    }

    /** @param bool $isNetworkWide each site of the network then schedules its job at its next request */
    public static function activate($isNetworkWide = false): void
    {
        if (!$isNetworkWide) {
            Reconcile::schedule();
        }
    }

    /** @param bool $isNetworkWide whether the plugin stops in every site of the network */
    public static function deactivate($isNetworkWide = false): void
    {
        $stop = static function (): void {
            wp_unschedule_hook(CRON);
        };
        $isNetworkWide ? Sites::each($stop) : $stop();
    }

    /** A site of the network is deleted: tilld must not go on sending webhooks to it. @param \WP_Site $site */
    public static function removeSite($site): void
    {
        Sites::in((int) $site->blog_id, [Removal::class, 'run']);
    }

    public static function declareCompatibility(): void
    {
        if (class_exists('Automattic\WooCommerce\Utilities\FeaturesUtil')) {
            \Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility('custom_order_tables', FILE, true);
            \Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility('cart_checkout_blocks', FILE, true);
        }
    }

    /** Where there is no translation for the country, one for the language: WordPress itself knows no such fallback. */
    public static function translate(): void
    {
        $domain = 'tilld-for-woocommerce';
        $folder = dirname(plugin_basename(FILE)) . '/languages';
        $locale = determine_locale();
        $files = dirname(FILE) . "/languages/{$domain}-";
        if (is_readable("{$files}{$locale}.mo")) {
            load_plugin_textdomain($domain, false, $folder);
            return;
        }
        $nearest = glob($files . explode('_', $locale)[0] . '_*.mo');
        if (is_array($nearest) && $nearest !== []) {
            load_textdomain($domain, $nearest[0], $locale);
        }
    }

    public static function start(): void
    {
        if (!class_exists('WC_Payment_Gateway')) {
            return;
        }
        require_once __DIR__ . '/Gateway.php';
        require_once __DIR__ . '/CoinGateway.php';
        add_filter('woocommerce_payment_gateways', static function (array $gateways): array {
            return array_merge($gateways, Methods::gateways());
        });
        add_action('woocommerce_blocks_payment_method_type_registration', [self::class, 'addToBlocks']);
        add_action('init', [Reconcile::class, 'schedule']);
        add_action(CRON, [Reconcile::class, 'run']);
        add_action('woocommerce_api_' . GATEWAY, [Webhook::class, 'answer']);
        WayBack::hook();
        PaymentLink::hook();
        CartOrder::hook();
        Cancelling::hook();
        Refunds::hook();
        OrderStatuses::hook();
        Dashboard::hook();
        PayPage::hook();
        ConnectPages::hook();
        Notices::hook();
        Privacy::hook();
    }

    /** @param \Automattic\WooCommerce\Blocks\Payments\PaymentMethodRegistry $registry */
    public static function addToBlocks($registry): void
    {
        require_once __DIR__ . '/BlockCheckout.php';
        foreach (Methods::ids() as $id) {
            $registry->register(new BlockCheckout($id));
        }
    }

    public static function addSettingsLink(array $links): array
    {
        $link = '<a href="' . esc_url(self::settingsUrl()) . '">' . esc_html__('Settings', 'tilld-for-woocommerce') . '</a>';
        return array_merge([$link], $links);
    }

    public static function settingsUrl(): string
    {
        return admin_url('admin.php?page=wc-settings&tab=checkout&section=' . GATEWAY);
    }
}
