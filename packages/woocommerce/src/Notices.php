<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** Tells the shopkeeper of trouble where he is: on the pages of the shop, the dashboard, the plugins, and in Site Health. */
final class Notices
{
    public static function hook(): void
    {
        add_action('admin_notices', [self::class, 'show']);
        add_filter('site_status_tests', [self::class, 'addTests']);
        add_action('rest_api_init', [self::class, 'addRoute']);
    }

    public static function show(): void
    {
        if (!current_user_can('manage_woocommerce') || !self::isPlace()) {
            return;
        }
        foreach (Health::troubles() as $kind => $text) {
            echo '<div class="notice notice-error" data-tilld-notice="' . esc_attr($kind) . '"><p><strong>tilld:</strong> ' . esc_html($text) . '</p><p>';
            if ($kind === 'moved') {
                ConnectionPanel::buttons();
            }
            echo '<a href="' . esc_url(Plugin::settingsUrl()) . '">' . esc_html__('Settings', 'tilld-for-woocommerce') . '</a></p></div>';
        }
    }

    /** The daemon is asked in the background: Site Health must not wait for it. */
    public static function addTests(array $tests): array
    {
        $tests['direct']['tilld_webhook'] = ['label' => __('Webhooks from tilld', 'tilld-for-woocommerce'), 'test' => [self::class, 'testWebhook']];
        $tests['direct']['tilld_job'] = ['label' => __('Scheduled job of tilld', 'tilld-for-woocommerce'), 'test' => [self::class, 'testJob']];
        $tests['async']['tilld_daemon'] = [
            'label' => __('Connection to tilld', 'tilld-for-woocommerce'),
            'test' => rest_url('tilld/v1/site-health'),
            'has_rest' => true,
            'async_direct_test' => [self::class, 'testDaemon'],
        ];
        return $tests;
    }

    public static function addRoute(): void
    {
        register_rest_route('tilld/v1', '/site-health', [
            'methods' => 'GET',
            'callback' => [self::class, 'testDaemon'],
            'permission_callback' => static function (): bool {
                return current_user_can('view_site_health_checks');
            },
        ]);
    }

    public static function testWebhook(): array
    {
        $state = Connection::get() === null ? self::unconnected() : Health::lastWebhook();
        return self::result('tilld_webhook', $state, __('Webhooks from tilld arrive', 'tilld-for-woocommerce'), __('No webhooks from tilld arrive', 'tilld-for-woocommerce'));
    }

    public static function testJob(): array
    {
        $state = Connection::get() === null ? self::unconnected() : Health::job();
        return self::result('tilld_job', $state, __('The scheduled job of tilld runs', 'tilld-for-woocommerce'), __('The scheduled job of tilld does not run', 'tilld-for-woocommerce'));
    }

    public static function testDaemon(): array
    {
        $state = Connection::get() === null ? self::unconnected() : Health::node();
        return self::result('tilld_daemon', $state, __('tilld can be reached', 'tilld-for-woocommerce'), __('tilld cannot be reached', 'tilld-for-woocommerce'));
    }

    /** Where nothing is connected, or payments are off at a moved address, there is nothing to be ill. */
    private static function unconnected(): array
    {
        $troubles = Health::troubles();
        return ['ok' => $troubles === [], 'text' => $troubles === [] ? __('Not connected yet.', 'tilld-for-woocommerce') : (string) reset($troubles)];
    }

    /** @param array{ok: bool, text: string} $state */
    private static function result(string $test, array $state, string $good, string $bad): array
    {
        return [
            'label' => $state['ok'] ? $good : $bad,
            'status' => $state['ok'] ? 'good' : 'critical',
            'badge' => ['label' => 'tilld', 'color' => 'blue'],
            'description' => '<p>' . esc_html($state['text']) . '</p>',
            'actions' => '<p><a href="' . esc_url(Plugin::settingsUrl()) . '">' . esc_html__('Settings', 'tilld-for-woocommerce') . '</a></p>',
            'test' => $test,
        ];
    }

    /** Not on the settings of tilld themselves, which say more. */
    private static function isPlace(): bool
    {
        $screen = get_current_screen();
        if ($screen === null) {
            return false;
        }
        // phpcs:ignore WordPress.Security.NonceVerification.Recommended -- which page is shown, nothing is done
        $section = isset($_GET['section']) ? sanitize_key(wp_unslash($_GET['section'])) : '';
        $isShop = preg_match('/woocommerce|wc-|shop_order|product/', $screen->id) === 1;
        return $section !== GATEWAY && ($isShop || in_array($screen->base, ['dashboard', 'plugins', 'site-health'], true));
    }
}
