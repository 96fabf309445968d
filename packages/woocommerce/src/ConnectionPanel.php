<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** The connection on the settings page: how it is, and what can be done about it. */
final class ConnectionPanel
{
    public static function show(): void
    {
        $message = ConnectPages::message(self::outcome());
        if ($message !== null) {
            echo '<div class="notice inline"><p>' . esc_html($message) . '</p></div>';
        }
        echo '<h3>' . esc_html__('Connection', 'tilld-for-woocommerce') . '</h3><table class="form-table">';
        $names = [
            'key' => __('Key', 'tilld-for-woocommerce'),
            'webhook' => __('Webhooks', 'tilld-for-woocommerce'),
            'job' => __('Scheduled job', 'tilld-for-woocommerce'),
            'node' => __('Daemon and nodes', 'tilld-for-woocommerce'),
        ];
        $health = Health::check();
        foreach ($health as $name => ['ok' => $isOk, 'text' => $text]) {
            $mark = $isOk ? '✓' : '✗';
            echo '<tr data-tilld-health="' . esc_attr($name . ':' . ($isOk ? 'ok' : 'bad')) . '"><th>' . esc_html($names[$name]) . '</th><td>' . esc_html("{$mark} {$text}") . '</td></tr>';
        }
        if ($health['key']['ok']) {
            Embedding::show();
        }
        echo '</table><p>';
        self::buttons();
        echo '</p>';
    }

    /** What can be done where the site is now. */
    public static function buttons(): void
    {
        if (Connection::isMoved()) {
            self::button('tilld-take-over', ConnectPages::link('take_over'), __('The shop has moved here: take over the connection', 'tilld-for-woocommerce'));
            self::button('tilld-connect', ConnectPages::link('connect'), __('This is a copy: connect it on its own', 'tilld-for-woocommerce'));
            return;
        }
        $isConnected = Connection::get() !== null;
        self::button('tilld-connect', ConnectPages::link('connect'), $isConnected ? __('Connect again', 'tilld-for-woocommerce') : __('Connect', 'tilld-for-woocommerce'));
        if ($isConnected) {
            self::button('tilld-test', ConnectPages::link('test'), __('Send a test webhook', 'tilld-for-woocommerce'));
            self::button('tilld-disconnect', ConnectPages::link('disconnect'), __('Disconnect', 'tilld-for-woocommerce'));
        }
    }

    private static function button(string $id, string $link, string $label): void
    {
        echo '<a class="button" id="' . esc_attr($id) . '" href="' . esc_url($link) . '">' . esc_html($label) . '</a> ';
    }

    /** What the page was sent back with, signed so that nobody else can have a shopkeeper read a message. */
    private static function outcome(): string
    {
        if (!isset($_GET['tilld'], $_GET['tilld_nonce']) || !wp_verify_nonce(sanitize_key(wp_unslash($_GET['tilld_nonce'])), 'tilld_outcome')) {
            return '';
        }
        return sanitize_key(wp_unslash($_GET['tilld']));
    }
}
