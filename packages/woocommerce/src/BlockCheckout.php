<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

defined('ABSPATH') || exit;

/** One of the payment methods in the checkout made of blocks. */
final class BlockCheckout extends AbstractPaymentMethodType
{
    public function __construct(string $id)
    {
        $this->name = $id;
    }

    public function initialize()
    {
        $this->settings = (array) get_option("woocommerce_{$this->name}_settings", []);
    }

    public function is_active()
    {
        $gateway = $this->gateway();
        return $gateway !== null && $gateway->is_available();
    }

    public function get_payment_method_script_handles()
    {
        $parts = ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'];
        wp_register_script('tilld-blocks', plugins_url('assets/blocks.js', FILE), $parts, VERSION, true);
        return ['tilld-blocks'];
    }

    public function get_payment_method_data()
    {
        $gateway = $this->gateway();
        return $gateway === null ? [] : [
            'title' => $gateway->get_title(),
            'description' => $gateway->get_description(),
            'icon' => $gateway->icon,
            'supports' => $gateway->supports,
        ];
    }

    private function gateway(): ?\WC_Payment_Gateway
    {
        return WC()->payment_gateways()->payment_gateways()[$this->name] ?? null;
    }
}
