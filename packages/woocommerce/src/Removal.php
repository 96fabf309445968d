<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** Removes what the plugin keeps in one site. */
final class Removal
{
    private const OPTIONS = ['tilld_connection', 'tilld_site', 'tilld_cursor', 'tilld_waiting', 'tilld_last_webhook', 'tilld_last_reconcile', 'tilld_last_run', 'tilld_failure', 'tilld_job_late_since'];
    /** Rows of one statement: a shop may have a million orders. */
    private const BATCH = 1000;

    public static function run(): void
    {
        // Otherwise tilld would go on sending webhooks to a shop that no longer accepts them.
        Connection::close();
        $settings = get_option('woocommerce_tilld_settings');
        if (is_array($settings) && ($settings['remove_order_data'] ?? 'no') === 'yes') {
            self::removeOrderData();
        }
        foreach (self::OPTIONS as $option) {
            delete_option($option);
        }
        foreach (Methods::ids() as $id) {
            delete_option("woocommerce_{$id}_settings");
        }
        self::removeGeneratedOptions();
        wp_unschedule_hook(CRON);
    }

    /** Locks and pending connects, whose names end in an order or a user. */
    private static function removeGeneratedOptions(): void
    {
        global $wpdb;
        foreach (['tilld_lock_', '_transient_tilld_', '_transient_timeout_tilld_'] as $prefix) {
            // phpcs:ignore WordPress.DB.DirectDatabaseQuery -- options by a part of their name: WordPress has no function for it
            $names = $wpdb->get_col($wpdb->prepare("SELECT option_name FROM {$wpdb->options} WHERE option_name LIKE %s", $wpdb->esc_like($prefix) . '%'));
            array_map('delete_option', $names);
        }
    }

    /** What orders and refunds know of their payments, in posts and in WooCommerce's own tables (HPOS). */
    private static function removeOrderData(): void
    {
        global $wpdb;
        foreach ([$wpdb->postmeta, "{$wpdb->prefix}wc_orders_meta"] as $table) {
            // phpcs:ignore WordPress.DB.DirectDatabaseQuery -- whether WooCommerce has made its tables
            if ($wpdb->get_var($wpdb->prepare('SHOW TABLES LIKE %s', $wpdb->esc_like($table))) !== $table) {
                continue;
            }
            do {
                // phpcs:ignore WordPress.DB.DirectDatabaseQuery, WordPress.DB.PreparedSQL -- the table is one of the two above; thousands of orders cannot be loaded one by one
                $removed = $wpdb->query($wpdb->prepare("DELETE FROM {$table} WHERE meta_key LIKE %s LIMIT %d", $wpdb->esc_like('_tilld_') . '%', self::BATCH));
            } while ($removed === self::BATCH);
        }
    }
}
