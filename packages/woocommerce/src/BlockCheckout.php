<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

defined('ABSPATH') || exit;

/** The same payment method in the checkout made of blocks. */
final class BlockCheckout extends AbstractPaymentMethodType
{
    protected $name = GATEWAY;

    public function initialize()
    {
        $this->settings = (array) get_option('woocommerce_' . GATEWAY . '_settings', []);
    }

    public function is_active()
    {
        return Gateway::setting('enabled') === 'yes' && Connection::get() !== null;
    }

    public function get_payment_method_script_handles()
    {
        $version = '0.1.0';
        wp_register_script('tilld-blocks', plugins_url('assets/blocks.js', FILE), ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'], $version, true);
        return ['tilld-blocks'];
    }

    public function get_payment_method_data()
    {
        $gateway = new Gateway();
        return ['title' => $gateway->get_title(), 'description' => $gateway->get_description(), 'supports' => $gateway->supports];
    }
}
